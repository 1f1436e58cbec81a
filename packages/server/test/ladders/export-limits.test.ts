import assert from "node:assert/strict";
import { suite, test } from "node:test";
import Fastify from "fastify";
import { fileRoutes } from "../../src/transport/http/ladders/ladder-file-routes.ts";
import { identifyAddresses } from "../../src/transport/limits/identify-addresses.ts";
import { testAddresses } from "../support/addresses.ts";
import { assertRefused, Client, range, until } from "../support/http.ts";
import { doneOf } from "../support/results.ts";
import { endlessText, stuckReader } from "../support/stuck-readers.ts";
import { TestClock } from "../support/test-clock.ts";
import { LadderStage } from "./stage.ts";

/** The number of players that fill this many pages of an export. */
const playersOn = (pages: number) => pages * 500;

async function stageWith(players: number): Promise<LadderStage> {
  const stage = new LadderStage();
  await stage.opened(range(players).map((number) => `p${number}`));
  return stage;
}

suite("exports beside other requests", () => {
  test("[LM10] [LD11] the event loop runs between two pages of an export", async () => {
    const pages = 6;
    const stage = await stageWith(playersOn(pages));
    const text = doneOf(await stage.parts.exports.text("l", { format: "json", what: "standings" }));
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    let whole = "";
    for await (const piece of text) whole += piece;
    isOver = true;
    assert.equal(JSON.parse(whole).length, playersOn(pages));
    assert.ok(turns >= pages - 1, `${turns} turns of the event loop for ${pages} pages`);
  });

  test("[LM10] concurrent exports share one page per tick of the event loop", async () => {
    const stage = await stageWith(playersOn(3));
    let inThisTurn = 0;
    let most = 0;
    let isOver = false;
    const count = () => {
      most = Math.max(most, inThisTurn);
      inThisTurn = 0;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const take = async () => {
      const text = doneOf(await stage.parts.exports.text("l", { format: "csv", what: "standings" }));
      for await (const piece of text) if (piece.length > 1_000) inThisTurn++;
    };
    await Promise.all(range(10).map(take));
    isOver = true;
    assert.equal(most, 1);
  });

  test("[LM10] an address downloads two files at a time; a third is refused, and other addresses are served", async () => {
    const app = Fastify();
    identifyAddresses(app, testAddresses(true));
    const text = async (_id: string, { what }: { what: string }) => ({
      value: what === "matches" ? endlessText() : brief(),
    });
    const deps = { exports: { text }, imports: { close() {} }, clock: new TestClock() };
    await fileRoutes(app, deps as unknown as Parameters<typeof fileRoutes>[1]);
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const client = new Client(url);
    const path = (what: string) => `/api/v1/ladders/l/export?what=${what}&format=json`;
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    const stuck = await Promise.all(range(2).map(() => stuckReader(url, path("matches"), "192.0.2.1")));
    assertRefused(await client.get(path("standings"), from("192.0.2.1")), 429, "limit.address");
    assert.equal((await client.get(path("standings"), from("192.0.2.2"))).text, "[]");
    stuck[0].destroy();
    await until("a place for the first", async () => {
      const { status } = await client.get(path("standings"), from("192.0.2.1"));
      return status === 200;
    });
    for (const socket of stuck) socket.destroy();
    client.close();
    await app.close();
  });
});

async function* brief(): AsyncGenerator<string> {
  yield "[]";
}
