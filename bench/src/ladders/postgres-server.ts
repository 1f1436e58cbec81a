// The bare server with the textbook transaction and its own PostgreSQL, in its own process.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type pg from "pg";
import { personName } from "../persons.ts";
import { type Durability, durabilityColumns, PostgresCluster } from "../postgres-cluster.ts";
import { type RecordedMatch, type ReportedMatch, recordMatch, schema } from "./textbook.ts";

/** The first order: the data folder, and the players with their ratings. */
export type PostgresStart = {
  readonly folder: string;
  readonly players: number;
  readonly startRating: number;
  readonly connections: number;
};
export type PostgresOrder = PostgresStart | { readonly connections: number } | "totals";

export type PostgresTotals = Durability & {
  readonly matches: number;
  readonly history: number;
  readonly ratingSum: number;
};
export type PostgresReport =
  | { readonly port: number }
  | { readonly connections: number }
  | { readonly totals: PostgresTotals }
  | { readonly error: string };

const idleMaxMs = 10 * 60 * 1000;

let cluster: PostgresCluster | undefined;
let pool: pg.Pool;

const tell = (report: PostgresReport): void => void process.send?.(report);

process.on("message", (order: PostgresOrder) => {
  carryOut(order).then(tell, (error: Error) =>
    tell({ error: error?.message ?? "PostgreSQL did not start." }),
  );
});

async function carryOut(order: PostgresOrder): Promise<PostgresReport> {
  if (order === "totals") return { totals: await totals() };
  if ("folder" in order) return { port: await begin(order) };
  await pool.end();
  pool = await cluster!.newPool(order.connections);
  return order;
}

async function begin({ folder, players, startRating, connections }: PostgresStart): Promise<number> {
  cluster = await PostgresCluster.start(folder);
  pool = await cluster.newPool(connections);
  await pool.query(schema);
  for (let number = 1; number <= players; number++)
    await pool.query("INSERT INTO players (id, rating) VALUES ($1, $2)", [personName(number), startRating]);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
  return (server.address() as AddressInfo).port;
}

async function totals(): Promise<PostgresTotals> {
  const { rows } = await pool.query(`
    SELECT ${durabilityColumns},
      (SELECT count(*)::integer FROM matches) AS matches,
      (SELECT count(*)::integer FROM history) AS history,
      (SELECT sum(rating) FROM players) AS "ratingSum"`);
  return rows[0];
}

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    text += chunk;
  });
  request.on("end", () => {
    report(request, JSON.parse(text)).then(
      (match) => answer(response, 201, { success: true, message: "It counts.", data: { match } }),
      (error: Error) => answer(response, 500, { success: false, message: error.message }),
    );
  });
});
server.keepAliveTimeout = idleMaxMs;

async function report({ headers }: IncomingMessage, match: ReportedMatch): Promise<object> {
  const client = await pool.connect();
  try {
    return shown(await recordMatch(client, headers["idempotency-key"] as string, match));
  } finally {
    client.release();
  }
}

/** Has the form and size of Openseat's answer. */
function shown({ id, players, scores, before, after }: RecordedMatch): object {
  const side = (which: 0 | 1) => ({
    userId: players[which],
    score: scores[which],
    before: before[which],
    after: after[which],
  });
  return { id, status: "counted", players: [side(0), side(1)], lapsesAt: null, recounted: 0 };
}

function answer(response: ServerResponse, status: number, content: object): void {
  const body = JSON.stringify(content);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

// However the benchmark ends, stop PostgreSQL with it.
process.on("disconnect", async () => {
  await cluster?.stop();
  process.exit();
});
