import assert from "node:assert/strict";
import { chownSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { addressFrom, openEnds } from "../../src/copy/addresses.ts";
import { runCopy } from "../../src/copy/run-copy.ts";
import { LogUnusable } from "../../src/log/log.ts";
import { migrations } from "../../src/log/sqlite/migrations.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { appendTo, fill } from "../log/contract.ts";
import { tempFolder } from "../support/folder.ts";
import { testsNeeding } from "../support/needs.ts";
import { connectTo } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { crowdIn } from "./crowd.ts";
import { kinds, type Place } from "./places.ts";
import { contentOfFolder, copied, queried } from "./stores.ts";

const { afterEach, describe, test } = testsNeeding(missingPostgres);

const made: { remove(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const each of made.splice(0)) await each.remove();
});

function newFolder(): string {
  const folder = tempFolder();
  made.push(folder);
  return folder.path;
}

async function newPlace(kind: keyof typeof kinds): Promise<Place> {
  const place = await kinds[kind]();
  made.push(place);
  return place;
}

async function assertCopied(from: string, to: string): Promise<void> {
  const { code, stderr } = await copied(from, to);
  assert.equal(code, 0, stderr);
}

describe("the source of a copy", () => {
  for (const schema of [1, 2])
    test(`[LG7] an older source of schema ${schema} is copied in migrated form and not changed`, async () => {
      const folder = newFolder();
      const db = new DatabaseSync(join(folder, "openseat.db"));
      for (const { sql } of migrations.slice(0, schema)) db.exec(sql);
      const { stream, lines, hash } = appendTo("game/a", 0, undefined, { count: 3 });
      db.prepare("INSERT INTO streams VALUES (5, ?, 'game', 3, ?, NULL, 'OPEN', '{}')").run(stream, hash);
      db.prepare("INSERT INTO batches VALUES (1, 5, 1, 3, ?, ?)").run(lines.join("\n"), hash);
      db.exec(`PRAGMA user_version = ${schema}`);
      db.close();
      const before = contentOfFolder(folder);
      const target = newFolder();
      await assertCopied(`sqlite:${folder}`, `sqlite:${target}`);
      assert.deepEqual(contentOfFolder(folder), before);
      const log = await SqliteLog.open(target);
      assert.deepEqual(await log.head("game/a"), { version: 3, hash });
      await log.close();
    });

  test("[LG7] nobody writes to a database while it is copied, and anybody may read it", async () => {
    const home = newFolder();
    await crowdIn(home);
    const place = await newPlace("PostgreSQL");
    await assertCopied(`sqlite:${home}`, place.address);
    const target = await newPlace("SQLite");
    const ends = await openEnds(addressFrom(place.address)!, addressFrom(target.address)!, undefined);
    const client = await connectTo(place.address, { options: "-c search_path=openseat" });
    try {
      await client.query("SET lock_timeout = 50");
      for (const sql of [
        "UPDATE streams SET version = version + 1",
        "INSERT INTO batches VALUES (1, 1000, 1, '{}', '')",
        "DELETE FROM outbox",
        "UPDATE secrets SET content = '{}'",
      ])
        await assert.rejects(client.query(sql), { code: "55P03" }, sql);
      assert.equal((await client.query("SELECT 1 FROM batches")).rowCount, 5_000);
    } finally {
      await ends.source.close();
      await ends.target.close();
    }
    await client.query("UPDATE streams SET due = due");
    await client.end();
  });

  test("[LG7] streams without entries and parts of invalid snapshots are not copied", async () => {
    const home = newFolder();
    await crowdIn(home);
    const [place, back] = [await newPlace("PostgreSQL"), newFolder()];
    await assertCopied(`sqlite:${home}`, place.address);
    await queried(
      place.address,
      "INSERT INTO streams (name, kind, version, hash, status, summary) VALUES ('game/x', 'game', 0, '', '', '')",
    );
    // Parts that were replaced, never finished, or saved by another node at the same version.
    const parts = "(1, 3, 0, 0, 'a'), (2, 3, 0, 0, 'b'), (1, 199, 5, 0, 'c')";
    await queried(
      place.address,
      `INSERT INTO snapshot_parts (stream, version, saving, part, bytes) VALUES ${parts}`,
    );
    await assertCopied(place.address, `sqlite:${back}`);
    assert.deepEqual(contentOfFolder(back), contentOfFolder(home));
  });
});

test("[LG7] a name with a null character can be copied to PostgreSQL", async () => {
  const [home, place, back] = [newFolder(), await newPlace("PostgreSQL"), newFolder()];
  await crowdIn(home);
  const db = new DatabaseSync(join(home, "openseat.db"));
  db.prepare("UPDATE players SET name = ?").run("An\0n");
  db.close();
  await assertCopied(`sqlite:${home}`, `sqlite:${back}`);
  assert.equal(contentOfFolder(back).players[0].name, "An\0n");
  await assertCopied(`sqlite:${home}`, place.address);
  assert.deepEqual(await queried(place.address, "SELECT name FROM players"), [{ name: "An\ufffdn" }]);
});

test("[LG7] files copied by root belong to the folder's owner", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can give files away");
  const [home, target] = [newFolder(), newFolder()];
  await crowdIn(home);
  const someone = 12_345;
  chownSync(target, someone, someone);
  await assertCopied(`sqlite:${home}`, `sqlite:${target}`);
  for (const file of readdirSync(target)) assert.equal(statSync(join(target, file)).uid, someone, file);
  assert.ok(readdirSync(target).includes("openseat.db"));
});

describe("a copy that is stopped", () => {
  for (const kind of ["SQLite", "PostgreSQL"] as const)
    test(`[LG7] to ${kind}: it ends soon with a message, and no server starts on the rest`, async () => {
      const home = newFolder();
      await crowdIn(home);
      const place = await newPlace(kind);
      const stop = new AbortController();
      let said = "";
      const stderr = {
        write(text: string) {
          said += text;
          // The first progress report: the copy has begun, and much is left.
          if (said.includes("copying:")) stop.abort();
        },
      };
      const args = ["--from", `sqlite:${home}`, "--to", place.address];
      const code = await runCopy(args, { stdout: stderr, stderr, signal: stop.signal });
      assert.equal(code, 1);
      assert.match(said, /\nStopped\. The copy in .* is incomplete, and no server starts on it\. /);
      await assert.rejects(place.open(), LogUnusable);
    });

  test("[LG7] an unfinished copy can be replaced by a copy of another log", async () => {
    const [home, other] = [newFolder(), newFolder()];
    await crowdIn(home);
    const log = await SqliteLog.open(other);
    await fill(log, "game/other", [4]);
    await log.close();
    for (const kind of ["SQLite", "PostgreSQL"] as const) {
      const [place, back] = [await newPlace(kind), newFolder()];
      const stop = new AbortController();
      const stderr = { write: (text: string) => text.includes("verifying:") && stop.abort() };
      const args = ["--from", `sqlite:${home}`, "--to", place.address];
      assert.equal(await runCopy(args, { stdout: stderr, stderr, signal: stop.signal }), 1);
      await assertCopied(`sqlite:${other}`, place.address);
      await assertCopied(place.address, `sqlite:${back}`);
      assert.deepEqual(contentOfFolder(back), contentOfFolder(other));
    }
  });
});
