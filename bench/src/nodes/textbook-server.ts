// The bare server with the textbook join, in its own process. Its PostgreSQL serves the whole scenario.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type pg from "pg";
import { joinAnswer } from "../join-answer.ts";
import { type Durability, durabilityColumns, PostgresCluster } from "../postgres-cluster.ts";
import { schema, type Way, ways } from "./textbook.ts";

export type TextbookOrder =
  /** The first order: the data folder. */
  | { readonly folder: string }
  /** Selects the way of joining and the pool size. Nothing may be in flight. */
  | { readonly way: Way; readonly connections: number }
  /** Creates games. */
  | { readonly games: readonly string[]; readonly seats: number }
  /** Creates a separate database for another contender. */
  | { readonly database: string }
  | "totals";

export type TextbookTotals = Durability & {
  /** Seats taken according to the games' counters. */
  readonly seats: number;
  readonly participants: number;
  /** Participants with a seat of their own. */
  readonly seated: number;
};
export type TextbookReport =
  | { readonly port: number }
  | { readonly done: true }
  | { readonly url: string }
  | { readonly totals: TextbookTotals }
  | { readonly error: string };

const idleMaxMs = 10 * 60 * 1000;

let cluster: PostgresCluster;
/** One pool per way, kept open while the other is measured, because new connections would have to warm up again. */
const pools = new Map<Way, { readonly connections: number; readonly pool: pg.Pool }>();
let way: Way = "transaction";

const tell = (report: TextbookReport): void => void process.send?.(report);

process.on("message", (order: TextbookOrder) => {
  carryOut(order).then(tell, (error: Error) =>
    tell({ error: error?.message ?? "PostgreSQL did not start." }),
  );
});

async function carryOut(order: TextbookOrder): Promise<TextbookReport> {
  if (order === "totals") return { totals: await totals() };
  if ("folder" in order) return { port: await begin(order.folder) };
  if ("database" in order) return { url: await cluster.createDatabase(order.database) };
  if ("games" in order) await addGames(order.games, order.seats);
  else await choose(order.way, order.connections);
  return { done: true };
}

async function begin(folder: string): Promise<number> {
  cluster = await PostgresCluster.start(folder);
  await choose(way, 1);
  await poolOf(way).query(schema);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
  return (server.address() as AddressInfo).port;
}

async function choose(chosen: Way, connections: number): Promise<void> {
  way = chosen;
  const held = pools.get(chosen);
  if (held?.connections === connections) return;
  await held?.pool.end();
  pools.set(chosen, { connections, pool: await cluster.newPool(connections) });
}

const poolOf = (which: Way): pg.Pool => pools.get(which)!.pool;

async function addGames(games: readonly string[], seats: number): Promise<void> {
  await poolOf(way).query(
    "INSERT INTO games (id, title, max) SELECT id, 'The hot game', $2 FROM unnest($1::text[]) AS id",
    [games, seats],
  );
}

async function totals(): Promise<TextbookTotals> {
  const { rows } = await poolOf(way).query(`
    SELECT ${durabilityColumns},
      (SELECT sum(current)::integer FROM games) AS seats,
      (SELECT count(*)::integer FROM participants) AS participants,
      (SELECT count(*)::integer FROM (SELECT FROM participants GROUP BY game, position)) AS seated`);
  return rows[0];
}

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    join(request).then(
      (content) =>
        answer(response, content ? 201 : 409, content ?? { success: false, message: "It is full." }),
      (error: Error) => answer(response, 500, { success: false, message: error.message }),
    );
  });
});
server.keepAliveTimeout = idleMaxMs;

/**
 * `POST /api/v1/games/…/join` for the person in the token. The token is not verified, which favours this server.
 */
async function join({ url, headers }: IncomingMessage): Promise<object | undefined> {
  const game = url!.split("/")[4];
  const claims = headers.authorization!.split(".")[1];
  const { sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { sub: string };
  const joined = await ways[way](poolOf(way), game, sub);
  return joined && joinAnswer(game, joined.title, joined.position);
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
