import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { fixedText, wholeText } from "../formats.ts";
import { Watch } from "../machine.ts";
import type { Contender } from "../slices.ts";
import { median } from "../statistics.ts";
import type { Stage } from "./stage.ts";

const idleMs = 4_000;
const journeys = 200;
export const walSlices = 3;

/**
 * WAL bytes that PostgreSQL writes per join, including all nodes' heartbeats. The median of several slices, because
 * one may contain a snapshot or full-page writes after a checkpoint.
 */
export async function walBytesEach(
  { fleets }: Stage,
  contender: Contender,
  joined: () => number,
): Promise<number> {
  return withClient(fleets[0].server.databaseUrl, async (client) => {
    const found: number[] = [];
    while (found.length < walSlices) {
      await contender.prepare();
      const [bytesBefore, joinedBefore] = [await walBytes(client), joined()];
      await contender.run();
      found.push(((await walBytes(client)) - bytesBefore) / (joined() - joinedBefore));
    }
    return median(found);
  });
}

/** Entry size on disk, compressed and with index, compared with its text. */
export async function storedText({ fleets }: Stage): Promise<string> {
  return withClient(fleets[0].server.databaseUrl, async (client) => {
    const { rows } = await client.query<{ entries: number; text: number; disk: number }>(`
      SELECT sum(count)::float8 AS entries, sum(octet_length(lines))::float8 AS text,
        pg_total_relation_size('openseat.batches')::float8 AS disk FROM openseat.batches`);
    const [{ entries, text, disk }] = rows;
    return `an entry is ${wholeText(text / entries)} bytes as text and takes ${wholeText(disk / entries)} on the disk`;
  });
}

/** Duration of the two round trips that a commit waits for, on an idle server. */
export async function journeysText({ fleets }: Stage): Promise<string> {
  return withClient(fleets[0].server.databaseUrl, async (client) => {
    const medianMs = async (statement: string): Promise<string> => {
      const times: number[] = [];
      while (times.length < journeys) {
        const startedAt = performance.now();
        await client.query(statement);
        times.push(performance.now() - startedAt);
      }
      return `${fixedText(median(times), 2)} ms`;
    };
    const plain = await medianMs("SELECT 1");
    const flushed = await medianMs("SELECT pg_logical_emit_message(true, 'bench', 'flush')");
    return `a round trip takes ${plain}, one with a flush ${flushed}`;
  });
}

/** The cost of idle nodes. */
export async function idleText({ fleets, textbook }: Stage): Promise<string> {
  const pids = [...fleets.flatMap(({ server }) => server.pids), textbook.server.pid];
  const nodes = pids.length - 1;
  return withClient(fleets[0].server.databaseUrl, async (client) => {
    const watch = new Watch(pids, process.pid);
    const before = await walBytes(client);
    await sleep(idleMs);
    const bytes = (((await walBytes(client)) - before) * 1000) / idleMs;
    const { serverAll } = watch.usage();
    return (
      `${nodes} idle nodes with their PostgreSQL use ${fixedText(100 * serverAll, 1)} % of one ` +
      `processor and ${wholeText(bytes)} bytes of WAL per second`
    );
  });
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function walBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes",
  );
  return rows[0].bytes;
}
