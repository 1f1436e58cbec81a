import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { migrations } from "../../src/log/sqlite/migrations.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { appendAll } from "../support/append-all.ts";
import { tempFolder } from "../support/folder.ts";
import { appendTo, assertWhole } from "./contract.ts";
import { countedMatch, playersCalled, Rungs } from "./ladder-contract.ts";
import { sending } from "./outbox-contract.ts";

/** A folder, and logs on it that are closed at the end: the thread of an open log keeps the process alive. */
async function inFolder(
  work: (folder: string, open: () => Promise<SqliteLog>) => Promise<void>,
): Promise<void> {
  const folder = tempFolder();
  const opened: SqliteLog[] = [];
  try {
    await work(folder.path, async () => {
      const log = await SqliteLog.open(folder.path);
      opened.push(log);
      return log;
    });
  } finally {
    for (const log of opened) await log.close();
    folder.remove();
  }
}

const database = (folder: string) => join(folder, "openseat.db");

/** Runs an operator's query on a copy of the file. */
function asked(folder: string, sql: string): Record<string, unknown>[] {
  const copies = join(folder, "copies");
  mkdirSync(copies, { recursive: true });
  for (const end of ["", "-wal"]) copyFileSync(database(folder) + end, join(copies, `openseat.db${end}`));
  const db = new DatabaseSync(join(copies, "openseat.db"));
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

/** A store as the first version left it. */
function firstStore(folder: string): void {
  const db = new DatabaseSync(database(folder));
  db.exec("PRAGMA journal_mode = WAL");
  db.exec(migrations[0].sql);
  db.exec("PRAGMA user_version = 1");
  const { lines, hash } = appendTo("game/old", 0, undefined, { count: 2 });
  db.prepare(
    "INSERT INTO streams (name, kind, version, hash, status, summary) VALUES ('game/old', 'game', 2, ?, 'OPEN', '{}')",
  ).run(hash);
  db.prepare("INSERT INTO batches (stream, first, count, lines, hash) VALUES (1, 1, 2, ?, ?)").run(
    lines.join("\n"),
    hash,
  );
  db.close();
}

test("[LG6] a store from before ladders is migrated, keeps its data and can store ladders", () =>
  inFolder(async (folder, open) => {
    firstStore(folder);
    const log = await open();
    assert.equal(await assertWhole(log, "game/old"), 2);
    await new Rungs(log).write({ ...playersCalled(["Ann", "Bob"]), ...countedMatch(1, [1, 2]) });
    assert.equal((await log.ladders.matches({ stream: "ladder/a", order: "newest", limit: 9 })).length, 1);
    await appendAll(log, [sending("arena/a", ["one"])]);
    await log.close();
    const db = new DatabaseSync(database(folder), { readOnly: true });
    assert.deepEqual({ ...db.prepare("PRAGMA user_version").get() }, { user_version: migrations.length });
    db.close();
    const again = await open();
    assert.equal(await assertWhole(again, "game/old"), 2);
    assert.equal((await again.outbox(0, 9)).length, 1);
    await again.close();
  }));

test("[LD12] waiting effects and dead letters survive closing and reopening", () =>
  inFolder(async (folder, open) => {
    const log = await open();
    await appendAll(log, [sending("arena/a", ["one", "two", "three"])]);
    const [one, two, three] = await log.outbox(0, 9);
    await log.undeliverable([two.number], "ladder.not-found", 1_234 as Millis);
    await log.delivered([one.number]);
    await log.close();
    const again = await open();
    assert.deepEqual(await again.outbox(0, 9), [three]);
    await again.delivered([three.number]);
    await again.close();
    const third = await open();
    assert.deepEqual(await third.outbox(0, 9), []);
    await appendAll(third, [sending("arena/b", ["four"])]);
    assert.ok((await third.outbox(0, 9))[0].number > three.number, "a number was assigned twice");
    await third.close();
    const db = new DatabaseSync(database(folder), { readOnly: true });
    const aside = db.prepare("SELECT version, target, body, failure FROM outbox WHERE failure IS NOT NULL");
    const row = { version: 2, target: "ladder/l", body: '{"text":"two"}', failure: "ladder.not-found" };
    assert.deepEqual({ ...aside.get() }, row);
    db.close();
  }));

test("[LD2] [LD4] an operator can query matches, histories and versions with SQL while the log is in use", () =>
  inFolder(async (folder, open) => {
    const log = await open();
    const rungs = new Rungs(log);
    await rungs.write(playersCalled(["Ann", "Bob"]));
    await rungs.write({
      ...countedMatch(1, [1, 2], [3, 1]),
      standings: [
        [1, 1010, null, null, 1, 0, 0, 1],
        [2, 990, null, null, 0, 0, 1, 1],
      ] as never,
    });
    assert.deepEqual(asked(folder, "SELECT number, status, first, second, first_score, key FROM matches"), [
      { number: 1, status: "counted", first: 1, second: 2, first_score: 3, key: "key 1" },
    ]);
    const history = asked(folder, "SELECT player, match, after - before AS change FROM rating_history");
    assert.deepEqual(history, [
      { player: 1, match: 1, change: 10 },
      { player: 2, match: 1, change: -10 },
    ]);
    const players = asked(folder, "SELECT person, rating, games, wins, version FROM players ORDER BY rating");
    assert.deepEqual(players, [
      { person: "p2", rating: 990, games: 1, wins: 0, version: 1 },
      { person: "p1", rating: 1010, games: 1, wins: 1, version: 1 },
    ]);
    await log.close();
  }));

test("[LD2] the store refuses a player's second rating in one turn, together with its entry", () =>
  inFolder(async (_, open) => {
    const log = await open();
    const rungs = new Rungs(log);
    await rungs.write({ ...playersCalled(["Ann", "Bob"]), ...countedMatch(1, [1, 2]) });
    await assert.rejects(
      appendAll(log, [rungs.next(countedMatch(2, [1, 2], [1, 0], { turn: 1 }))]),
      /UNIQUE/,
    );
    assert.equal(await assertWhole(log, "ladder/a"), 1);
    assert.deepEqual(await rungs.numbers({}), [1]);
    const other = new Rungs(log, "ladder/b");
    await other.write({ ...playersCalled(["Ann", "Bob"]), ...countedMatch(1, [1, 2]) });
  }));

test("[LD2] if one append of several cannot be written, none is, neither rows nor entries", () =>
  inFolder(async (_, open) => {
    const log = await open();
    const rungs = new Rungs(log);
    await rungs.write({ ...playersCalled(["Ann", "Bob"]), ...countedMatch(1, [1, 2]) });
    const good = rungs.next(countedMatch(2, [1, 2]));
    const bad = new Rungs(log, "ladder/b").next({
      ratings: [[1, 1, 1, null, 2, null, 1010, null, null]] as never,
    });
    await assert.rejects(appendAll(log, [good, bad]));
    assert.deepEqual(await rungs.numbers({}), [1]);
    assert.equal(await assertWhole(log, "ladder/a"), 1);
    assert.equal(await log.head("ladder/b"), undefined);
    await log.close();
  }));

const plans = [
  ["a step of a history", "rating_history WHERE ladder = 1 AND turn = 3 AND player = 2"],
  [
    "matches that wait",
    "matches WHERE ladder = 1 AND status = 'pending' AND status <> 'counted' ORDER BY number",
  ],
  ["names", "players WHERE ladder = 1 AND name >= 'a' AND name < 'b' ORDER BY name"],
] as const;
for (const [what, rest] of plans) {
  test(`[LD11] ${what}: found by an index in order, so that a long ladder is never scanned`, () =>
    inFolder(async (folder, open) => {
      await (await open()).close();
      const db = new DatabaseSync(database(folder), { readOnly: true });
      const steps = db.prepare(`EXPLAIN QUERY PLAN SELECT * FROM ${rest}`).all();
      db.close();
      const plan = steps.map(({ detail }) => String(detail)).join("; ");
      assert.match(plan, /SEARCH/);
      assert.doesNotMatch(plan, /SCAN|TEMP B-TREE/);
    }));
}
