import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { pino } from "pino";
import { openStore } from "../../src/boot/store.ts";
import { newSystemClock } from "../../src/clock.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { UnsupportedRooms } from "../../src/integrity/unsupported-rooms.ts";
import { firstHash, nextHash } from "../../src/log/entry.ts";
import type { Listed, StreamName } from "../../src/log/log.ts";
import { Hall } from "../arenas/hall.ts";
import { LiveClient } from "../live/clients.ts";
import { appendAll } from "../support/append-all.ts";
import { assertRefused, range, until } from "../support/http.ts";
import { startServer, type TestServer, tempFolder } from "../support/server.ts";
import { skipOnPostgres } from "../support/store.ts";
import { tokenOf } from "../support/tokens.ts";

/** Writes a copy of an arena into a folder's log, as a build with more games would have created it. */
async function copyWithGame(data: string, from: StreamName, to: StreamName, game: string): Promise<void> {
  const terms = {
    node: "test",
    clock: newSystemClock(),
    logger: pino({ level: "silent" }),
    onFlush: () => {},
  };
  const { log } = await openStore(loadConfig(["--data", data], {}), terms);
  const change = (text: string) => text.replaceAll('"tic-tac-toe"', JSON.stringify(game));
  const lines = (await log.read(from, 0, 1_000)).flatMap((batch) => batch.lines).map(change);
  const hash = lines.reduce(nextHash, firstHash(to));
  const listed = (await log.list({ kind: "arena", limit: 100 })).find(({ stream }) => stream === from)!;
  const listing = { status: listed.status, summary: JSON.parse(change(JSON.stringify(listed.summary))) };
  assert.deepEqual(await appendAll(log, [{ stream: to, after: 0, lines, hash, due: undefined, listing }]), [
    "appended",
  ]);
  await log.close();
}

suite("an arena whose game's rules this build lacks", { skip: skipOnPostgres }, () => {
  const folder = tempFolder();
  let server: TestServer;
  let hall: Hall;
  let known: string;

  before(async () => {
    const data = join(folder.path, "data");
    const kept = { path: folder.path, remove() {} };
    server = await startServer(undefined, kept);
    ({ id: known } = await new Hall(server).playing(["ann", "bob"]));
    await server.stop();
    await copyWithGame(data, `arena/${known}`, "arena/from-later", "go-19");
    server = await startServer(undefined, folder);
    hall = new Hall(server);
  });
  after(() => server.stop());

  test("[LG13] /readyz names it and stays green; only this arena is refused", async () => {
    const message =
      "This build lacks the rules of these arenas' games, so it refuses them: arena/from-later (go-19).";
    const ready = await until("the details", async () => {
      const answer = await server.client.get("/readyz");
      return answer.body.degraded && answer;
    });
    assert.equal(ready.status, 200);
    assert.deepEqual(ready.body.degraded, [{ part: "rules", message }]);
    assert.equal(ready.body.damaged, undefined);
    const { client } = server;
    const refused = { code: "rules.missing", data: { game: "go-19" } };
    for (const answer of [
      await client.get("/api/v1/arenas/from-later"),
      await client.get("/api/v1/arenas/from-later/matches"),
      await client.get("/api/v1/arenas/from-later/events"),
      await hall.join("from-later", "cleo"),
      await hall.leave("from-later", "ann"),
    ]) {
      assertRefused(answer, 501, refused.code);
      assert.deepEqual(answer.body.data, refused.data);
    }
    const live = await LiveClient.open(server.url, { token: tokenOf("ann") });
    assert.equal((await live.ask({ type: "watch", arena: "from-later" })).body.code, refused.code);
    live.close();
  });

  test("[LG13] the list of arenas, other arenas and new ones work", async () => {
    const { arenas } = (await server.client.get("/api/v1/arenas")).body.data;
    assert.deepEqual(arenas.map(({ id }: { id: string }) => id).sort(), ["from-later", known].sort());
    assert.equal((await hall.join(known, "cleo")).status, 200);
    const { id } = await hall.playing(["dan", "eve"]);
    assert.notEqual((await hall.look(id)).state.match, null);
    assert.equal((await server.client.get("/metrics")).status, 200);
  });
});

test("[LG13] each arena gets a log line, and /readyz names the first of many", async () => {
  const lines: unknown[] = [];
  const rooms = new UnsupportedRooms({ error: (fields: unknown) => void lines.push(fields) });
  assert.equal(rooms.report, undefined);
  const all = range(250).map((index): Listed => {
    const game = index % 10 === 0 ? "go-19" : index % 2 === 0 ? "tic-tac-toe" : null;
    return { stream: `arena/${index}`, number: 1_000 - index, status: "OPEN", summary: { terms: { game } } };
  });
  await rooms.find({
    list: async ({ before = Number.POSITIVE_INFINITY, limit }) =>
      all.filter(({ number }) => number < before).slice(0, limit),
  });
  rooms.note("arena/0", "go-19");
  assert.equal(lines.length, 25);
  assert.deepEqual(lines[0], { stream: "arena/0", game: "go-19" });
  assert.match(rooms.report!, /arena\/190 \(go-19\) and 5 more\.$/);
});
