import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Hall } from "../arenas/hall.ts";
import { blocksOf, missingCurl, runCommandsOf } from "../support/guide-shell.ts";
import { type Json, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { skipOnPostgres } from "../support/store.ts";
import { readRepoFile } from "./reference.ts";

const { after, before, describe, test } = testsNeeding(missingCurl);
const guide = readRepoFile("docs/guides/arenas.md");

describe("docs/guides/arenas.md", { skip: skipOnPostgres }, () => {
  let server: TestServer;
  let hall: Hall;
  let folder: string;
  let printed: string;

  before(async () => {
    server = await startServer();
    hall = new Hall(server);
    // The guide reads the keys from the data folder.
    folder = dirname(server.folder);
    printed = await runCommandsOf(guide, server.url, folder);
  });
  after(() => server?.stop());

  test("no command is refused", () => assert.doesNotMatch(printed, /"success":false/));

  test("its arena is created, changed and ended", async () => {
    const { arena, state } = await hall.look("lunch");
    assert.deepEqual([arena.maxWins, arena.moveTimeoutSeconds, state.status], [null, 60, "ENDED"]);
    assert.match(printed, /"id":"lunch".*"maxWins":3/);
  });

  test("two instances of its program play a match to the end", async () => {
    await hall.create({ id: "dinner", title: "Dinner", game: "connect-four" });
    const file = join(folder, "player.ts");
    const client = new URL("../../../client/src/index.ts", import.meta.url).href;
    const here = {
      "http://localhost:8080": server.url,
      "@openseat/client": client,
      '"lunch"': '"dinner"',
    };
    let [program] = blocksOf(guide, "ts");
    for (const [written, replacement] of Object.entries(here)) {
      assert.ok(program.includes(written), written);
      program = program.replaceAll(written, replacement);
    }
    writeFileSync(file, program);
    const players = [1, 2].map(() => spawn(process.execPath, [file], { stdio: "ignore" }));
    try {
      await until("a match that is over", async () => (await hall.look("dinner")).state.lastMatch !== null);
    } finally {
      for (const player of players) player.kill();
    }
    assert.equal((await hall.look("dinner")).state.lastMatch.reason, "played");
  });

  test("the result of a game on another server is accepted from a service", async () => {
    const { lastMatch } = (await hall.look("pool-table")).state;
    assert.deepEqual([lastMatch.reason, lastMatch.winner], ["reported", "1"]);
  });

  test("[AR12] its tiers send everyone to their own arena", async () => {
    const { tiers } = (await hall.look("league-1")).arena;
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
