import { test } from "node:test";
import Fastify from "fastify";
import { arenaRoutes } from "../../src/transport/http/arenas/arena-routes.ts";
import { identifyAddresses } from "../../src/transport/limits/identify-addresses.ts";
import { testAddresses } from "../support/addresses.ts";
import { assertRefused, Client, range, until } from "../support/http.ts";
import { raisedBudgets } from "../support/limits.ts";
import { endlessText, stuckReader } from "../support/stuck-readers.ts";
import { TestClock } from "../support/test-clock.ts";

type Given = Parameters<typeof arenaRoutes>;

test("[LM10] an address loads eight replays at a time; another is refused, and other addresses are served", async () => {
  const app = Fastify();
  identifyAddresses(app, testAddresses(true));
  const refusal = { code: "match.not-found", message: "There is none." };
  const replay = async (_: string, match: number) => (match === 1 ? { pages: endlessText() } : { refusal });
  const lane = { add() {} } as unknown as Given[1];
  arenaRoutes(app, lane, {} as Given[2], { replay } as unknown as Given[3], raisedBudgets(), new TestClock());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new Client(url);
  const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
  const none = (address: string) => client.get("/api/v1/arenas/a/matches/2", from(address));
  const path = "/api/v1/arenas/a/matches/1";
  const stuck = await Promise.all(range(8).map(() => stuckReader(url, path, "192.0.2.1")));
  assertRefused(await none("192.0.2.1"), 429, "limit.address");
  assertRefused(await none("192.0.2.2"), 404, "match.not-found");
  stuck[0].destroy();
  await until("a place for the first", async () => (await none("192.0.2.1")).status === 404);
  assertRefused(await none("192.0.2.1"), 404, "match.not-found", "refused requests release their permits");
  for (const socket of stuck) socket.destroy();
  client.close();
  await app.close();
});
