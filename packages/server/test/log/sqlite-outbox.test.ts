import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { migrations } from "../../src/log/sqlite/migrations.ts";
import { OutboxTable } from "../../src/log/sqlite/outbox-table.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { tempFolder } from "../support/folder.ts";

/** A database of an early version, or of this one. */
function database(folder: string, version = migrations.length): DatabaseSync {
  const db = new DatabaseSync(join(folder, "openseat.db"));
  db.exec("PRAGMA journal_mode = WAL");
  for (const { sql } of migrations.slice(0, version)) db.exec(sql);
  db.exec(`PRAGMA user_version = ${version}`);
  return db;
}

test("[CH7] an outbox from before chats is migrated with its waiting effects and dead letters", async () => {
  const folder = tempFolder();
  try {
    const db = database(folder.path, 2);
    db.exec(`INSERT INTO streams (name, kind, version, hash, status, summary) VALUES ('arena/a', 'arena', 3, '', '', '{}');
      INSERT INTO outbox (source, version, target, body, failure) VALUES
        (1, 1, 'ladder/l', '{"text":"one"}', NULL), (1, 2, 'ladder/m', '{"text":"two"}', 'ladder.not-found');`);
    db.close();
    const log = await SqliteLog.open(folder.path);
    try {
      const route = { from: "arena/a", to: "ladder/l" } as const;
      const [one] = await log.outboxOf(route, { after: 0, upTo: 99 }, 9);
      assert.deepEqual(one, { number: 1, ...route, version: 1, body: { text: "one" } });
      const [two] = await log.deadLetters(undefined, 9);
      assert.equal(two.reason, "ladder.not-found");
      assert.equal(two.setAsideAt, undefined, "nobody knows when");
      assert.equal((await log.resend(two.number))?.number, 3);
    } finally {
      await log.close();
    }
  } finally {
    folder.remove();
  }
});

const span = { after: 10, upTo: 99 } as const;
const questions: [string, (table: OutboxTable) => unknown][] = [
  ["what waits", (table) => table.waiting(10, 5)],
  ["what waits on one way", (table) => table.waitingOn({ from: "arena/a", to: "ladder/l" }, span, 5)],
  ["what was set aside", (table) => table.deadLetters(10, 5)],
];
for (const [what, ask] of questions) {
  test(`[CH7] ${what} is found by an index in order, so that a long outbox is never scanned`, () => {
    const folder = tempFolder();
    const db = database(folder.path);
    try {
      const asked: string[] = [];
      ask(
        new OutboxTable((text) => {
          asked.push(text);
          return db.prepare(text);
        }),
      );
      assert.equal(asked.length, 1);
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${asked[0]}`).all();
      const plan = steps.map(({ detail }) => String(detail)).join("; ");
      assert.match(plan, /SEARCH outbox/);
      assert.doesNotMatch(plan, /SCAN|TEMP B-TREE/);
    } finally {
      db.close();
      folder.remove();
    }
  });
}

test("[CH7] effects for one receiver are found by an index, from one stream or all", () => {
  const folder = tempFolder();
  const db = database(folder.path);
  try {
    const table = new OutboxTable((text) => {
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
      assert.ok(steps.some(({ detail }) => /SEARCH outbox .*target=\?/.test(String(detail))));
      assert.ok(!steps.some(({ detail }) => /SCAN|TEMP B-TREE/.test(String(detail))));
      return db.prepare(text);
    });
    assert.deepEqual(table.waitingOn({ to: "telegram/1" }, span, 5), []);
  } finally {
    db.close();
    folder.remove();
  }
});

test("[CH7] [LM2] only the latest dead letters are kept, and waiting effects are not touched", () => {
  const folder = tempFolder();
  const db = database(folder.path);
  try {
    const table = new OutboxTable((text) => db.prepare(text), 100);
    const numbers = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const effects = [...numbers, 1_001].map((version) => ({
      version,
      to: "telegram/1",
      body: { text: "hello" },
    }));
    db.exec(
      "INSERT INTO streams (number, name, kind, version, hash, status, summary) VALUES (1, 'directory/main', 'directory', 1, '', '', '{}')",
    );
    table.write(1, effects);
    table.setAside(numbers.slice(0, 999), "Blocked.", 1 as Millis);
    assert.equal(table.deadLetters(undefined, 2_000).length, 999, "not with each of them");
    table.setAside([1_000], "Blocked.", 2 as Millis);
    const kept = table.deadLetters(undefined, 2_000).map(({ number }) => number);
    assert.deepEqual(kept, numbers.slice(900).reverse());
    assert.deepEqual(
      table.waiting(0, 10).map(({ number }) => number),
      [1_001],
    );
  } finally {
    db.close();
    folder.remove();
  }
});
