import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Hall } from "../arenas/hall.ts";
import { type Json, until } from "../support/http.ts";
import { startServer, type TestServer, tempFolder } from "../support/server.ts";

const guide = readFileSync(new URL("../../../../docs/guides/arenas.md", import.meta.url), "utf8");
const bodies = [...guide.matchAll(/-d '(\{.*?\})'/gs)].map(([, json]) => JSON.parse(json));
const [program] = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);

describe("the guide to arenas", () => {
  let server: TestServer;
  let hall: Hall;
  const folder = tempFolder();

  before(async () => {
    server = await startServer();
    hall = new Hall(server);
  });
  after(async () => {
    await server.stop();
    folder.remove();
  });

  test("its arena can be made, and two of its program play in it to the end", async () => {
    const made = await hall.create(bodies[0]);
    assert.deepEqual([made.status, made.body.data.arena.maxWins], [201, 3]);
    const file = join(folder.path, "player.ts");
    const client = new URL("../../../client/src/index.ts", import.meta.url).href;
    writeFileSync(
      file,
      program.replaceAll("http://localhost:8080", server.url).replaceAll("@openseat/client", client),
    );
    const players = [1, 2].map(() => spawn(process.execPath, [file], { stdio: "ignore" }));
    try {
      await until("a match that is over", async () => (await hall.look("lunch")).state.lastMatch !== null);
    } finally {
      for (const player of players) player.kill();
    }
    assert.equal((await hall.look("lunch")).state.lastMatch.reason, "played");
  });

  test("its result of a game played elsewhere is taken from a service", async () => {
    const { id, match } = await hall.playing(["ann", "bob"], { id: "pool-table", game: null });
    const { winner } = bodies[1];
    const answer = await hall.report(id, match, winner);
    assert.deepEqual([answer.status, answer.body.data.result.winner], [200, winner]);
  });

  test("[AR12] its tiers can be made on a ladder, and send everyone to their own", async () => {
    const { client } = server;
    const ladder = { id: bodies[2].ladder, title: "The club", startRating: 1200 };
    const made = await client.post("/api/v1/ladders", { token: server.operatorKey, body: ladder });
    assert.equal(made.status, 201, made.text);
    const { tiers } = (await hall.create(bodies[2])).body.data.arena;
    assert.deepEqual(
      tiers.map(({ arena, from, below }: Json) => [arena, from, below]),
      [
        ["league-1", null, 1100],
        ["league-2", 1100, 1300],
        ["league-3", 1300, null],
      ],
    );
    const refused = await hall.join("league-3", "newcomer");
    assert.deepEqual([refused.body.code, refused.body.data.arena], ["tier.other", "league-2"]);
    assert.equal((await hall.join("league-2", "newcomer")).status, 200);
  });

  test("its table names every setting", async () => {
    const named = new Set([...guide.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) => cell.match(/\w+/g)));
    const { body } = await hall.create({ title: "Everything", game: "connect-four" });
    const unnamed = Object.keys(body.data.arena).filter((name) => !named.has(name));
    assert.deepEqual(unnamed.toSorted(), ["createdAt", "createdBy", "id", "title"]);
  });
});
