import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { writeBook } from "../contenders.ts";
import { fillLines } from "../filled-lines.ts";
import type { Findings, Verdict } from "../findings.ts";
import { fixedText, wholeText } from "../formats.ts";
import type { Openseat } from "../openseat-server.ts";
import { findPlaces, type Placed, someOf } from "../placed-people.ts";
import { RequestBook } from "../request-book.ts";
import { addEnter } from "../requests.ts";
import { queueSeats } from "../room-settings.ts";
import { median } from "../statistics.ts";

const readyMaxMs = 10_000;
const loadBeforeKillMs = 1_000;
const enteringBeforeKillMax = 100_000;
const heartbeatTimeoutSeconds = 15;
const line = "the-line";

type Restart = {
  readonly stopMs: number;
  readonly readyMs: number;
  readonly firstPositionMs: number;
};
type Loss = { readonly missing: number; readonly expired: number; readonly forgotten: number };

/**
 * How long a server with a million people in line gives no answers after a restart. Nobody can send heartbeats
 * meanwhile, and nobody may expire because of that, however short their lease (LS4).
 */
export function restartLine(bench: Bench): Promise<Findings> {
  const order = { queue: line, waiting: bench.options.waiting, lanes: [0] };
  return bench.withOpenseat(
    (server) => measure(bench, server),
    (server) => fillLines(bench, server, [order]),
  );
}

async function measure(bench: Bench, server: Openseat): Promise<Findings> {
  const { options, progress } = bench;
  await server.changeQueue(line, { heartbeatTimeoutSeconds });
  const silentSince = performance.now();
  const places = await findPlaces(bench, server, line, someOf(queueSeats + 1, options.waiting, 1));
  const clean: Restart[] = [];
  const killed: Restart[] = [];
  const losses: Loss[] = [];
  for (let time = 0; time < options.restarts; time++) {
    progress.show(`SIGTERM and start, ${time + 1} of ${options.restarts}`);
    clean.push(await startAgain(server, places[0], "SIGTERM"));
    losses.push(await lossOf(bench, server));
    progress.step();
    progress.show(`kill -9 under load and start, ${time + 1} of ${options.restarts}`);
    const { restart, forgotten } = await killUnderLoad(bench, server, places[0]);
    killed.push(restart);
    losses.push({ ...(await lossOf(bench, server)), forgotten });
    progress.step();
  }
  const silentSeconds = (performance.now() - silentSince) / 1000;
  const waiting = wholeText(options.waiting);
  return {
    rows: [],
    verdicts: [
      verdictOf(`first position after SIGTERM, ${waiting} waiting`, clean),
      verdictOf(`first position after kill -9, ${waiting} waiting`, killed),
      lossVerdict(losses),
    ],
    notes: [
      `Restart with ${waiting} waiting: after SIGTERM ${detailsOf(clean)}; after kill -9 ${detailsOf(killed)}. For ` +
        `${wholeText(silentSeconds)} s nobody in the line sent a heartbeat, with a lease of ${heartbeatTimeoutSeconds} s: ` +
        `${lossText(losses)}.`,
    ],
  };
}

async function startAgain(
  server: Openseat,
  { id, person }: Placed,
  signal: "SIGTERM" | "SIGKILL",
): Promise<Restart> {
  const stoppedAt = performance.now();
  await server.stop(signal);
  const stopMs = performance.now() - stoppedAt;
  const readyMs = await server.start();
  return { stopMs, readyMs, firstPositionMs: readyMs + (await server.positionMs(id, person)) };
}

/** Kills the server while people enter another line. Everyone who was told their place must find it afterwards. */
async function killUnderLoad(
  bench: Bench,
  server: Openseat,
  place: Placed,
): Promise<{ restart: Restart; forgotten: number }> {
  const load = bench.httpLoad(server);
  const book = new RequestBook();
  const side = await server.createQueue();
  await writeBook(book, enteringBeforeKillMax, addEnter, server.crowd, async () => () => side);
  let acknowledged = 0;
  // The kill interrupts the load, so its rejected promise is expected.
  const loadEnded = load
    .saturate(book, 2 * loadBeforeKillMs, () => {
      acknowledged++;
    })
    .catch(() => undefined);
  await sleep(loadBeforeKillMs);
  const restart = await startAgain(server, place, "SIGKILL");
  await loadEnded;
  load.close();
  const { entered } = await server.queueStats(side);
  return { restart, forgotten: Math.max(0, acknowledged - entered) };
}

async function lossOf({ options }: Bench, server: Openseat): Promise<Loss> {
  const { waiting, expired } = await server.queueStats(line);
  return { missing: options.waiting - waiting, expired, forgotten: 0 };
}

function verdictOf(what: string, restarts: readonly Restart[]): Verdict {
  const ms = median(restarts.map((one) => one.firstPositionMs));
  return {
    what,
    value: ms,
    measured: `${fixedText(ms / 1000, 2)} s`,
    target: `< ${readyMaxMs / 1000} s`,
    met: ms < readyMaxMs,
  };
}

function lossVerdict(losses: readonly Loss[]): Verdict {
  const lost = sumOf(losses, ({ missing, expired, forgotten }) => Math.abs(missing) + expired + forgotten);
  return {
    what: "people lost or expired by restarts",
    value: lost,
    measured: wholeText(lost),
    target: "0",
    met: lost === 0,
  };
}

function lossText(losses: readonly Loss[]): string {
  const [missing, expired, forgotten] = [
    sumOf(losses, (one) => one.missing),
    sumOf(losses, (one) => one.expired),
    sumOf(losses, (one) => one.forgotten),
  ];
  return `${wholeText(expired)} expired, ${wholeText(missing)} missing, ${wholeText(forgotten)} acknowledged but missing`;
}

function sumOf(losses: readonly Loss[], value: (loss: Loss) => number): number {
  return losses.reduce((sum, loss) => sum + value(loss), 0);
}

function detailsOf(restarts: readonly Restart[]): string {
  const seconds = (pick: (one: Restart) => number) => fixedText(median(restarts.map(pick)) / 1000, 2);
  return (
    `${seconds((one) => one.stopMs)} s to end, ${seconds((one) => one.readyMs)} s to ready, ` +
    `${seconds((one) => one.firstPositionMs)} s to the first position`
  );
}
