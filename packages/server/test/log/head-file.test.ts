import assert from "node:assert/strict";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { LogUnusable } from "../../src/log/log.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { ran } from "../copy/stores.ts";
import { appendAll } from "../support/append-all.ts";
import { tempFolder } from "../support/folder.ts";
import { until } from "../support/test-clock.ts";
import { Child } from "./child-process.ts";
import { appendTo, assertWhole, fill } from "./contract.ts";

const batches = 40;

/** A folder with a log of 40 batches that was never closed, as after a crash, for tests to tamper with. */
async function inCrashed(work: (folder: string, root: string) => Promise<void> | void): Promise<void> {
  const root = tempFolder();
  const running = join(root.path, "running");
  const log = await SqliteLog.open(running);
  try {
    await fill(log, "game/a", Array(batches / 2).fill(3));
    await fill(log, "game/b", Array(batches / 2).fill(1));
    await until(() => headIn(running).batch === batches, "the head file says so");
    const folder = join(root.path, "crashed");
    copyFolder(running, folder);
    await work(folder, root.path);
  } finally {
    await log.close();
    root.remove();
  }
}

/** The files of a log without writers, except the lock, which belongs to this process. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const name of ["openseat.db", "openseat.db-wal", "head.json"])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
}

function headIn(folder: string): { streams: number; batch: number; hash: string } {
  return JSON.parse(readFileSync(join(folder, "head.json"), "utf8"));
}

/** Asserts a refusal that says what happened and what to do, with nothing in the folder changed except the lock. */
async function assertLoss(folder: string, told: RegExp): Promise<void> {
  const before = contentsOf(folder);
  await assert.rejects(SqliteLog.open(folder), (error: Error) => {
    assert.ok(error instanceof LogUnusable, String(error));
    assert.match(error.message, told);
    assert.match(error.message, /Put back the openseat\.db-wal .* --accept-lost-changes\.$/);
    return true;
  });
  assert.deepEqual(contentsOf(folder), before);
}

function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.startsWith("owner.") && !name.endsWith("-shm"));
  const contents = names.map((name) => [name, readFileSync(join(folder, name)).toString("base64")]);
  // SQLite creates an empty write-ahead log when it opens a database without one.
  return Object.fromEntries(contents.filter(([, content]) => content !== ""));
}

async function assertOpens(folder: string): Promise<void> {
  const notices: string[] = [];
  const log = await SqliteLog.open(folder, { onNotice: (notice) => notices.push(notice) });
  assert.equal(await assertWhole(log, "game/a"), 60);
  assert.equal(await assertWhole(log, "game/b"), 20);
  await log.close();
  assert.deepEqual(notices, []);
}

describe("[LG8] the head file", () => {
  test("[LG8] it is updated within a second, and is exact after a stop", async () => {
    const folder = tempFolder();
    const log = await SqliteLog.open(folder.path);
    assert.deepEqual({ ...headIn(folder.path) }, { format: 1, streams: 0, batch: 0, hash: "" });
    assert.equal(statSync(join(folder.path, "head.json")).mode & 0o777, 0o600);
    await fill(log, "game/a", [1, 2, 3]);
    const [, last] = await fill(log, "game/b", [1, 1]);
    await until(() => headIn(folder.path).batch === 5, "the head file follows");
    assert.deepEqual(headIn(folder.path), { format: 1, streams: 2, batch: 5, hash: last.hash });
    const end = appendTo("game/b", 2, last.hash);
    await appendAll(log, [end]);
    await log.close();
    assert.deepEqual(headIn(folder.path), { format: 1, streams: 2, batch: 6, hash: end.hash });
    folder.remove();
  });

  test("[LG8] [LG3] a log after a crash opens without warnings", () =>
    inCrashed((folder) => assertOpens(folder)));

  test("[LG8] killed twenty times right when the head file is written: never refused, never ahead", async () => {
    const folder = tempFolder();
    let acknowledged = 0;
    try {
      for (let round = 0; round < 20; round++) {
        const child = new Child(folder.path);
        assert.equal(await child.nextLine(), "open");
        const path = join(folder.path, "head.json");
        const { mtimeMs } = statSync(path);
        child.process.stdin!.write("run\n");
        const isWriting = () => existsSync(`${path}.new`) || statSync(path).mtimeMs !== mtimeMs;
        await until(isWriting, "the head file is being written");
        await child.kill();
        acknowledged = Number(/^appended (\d+)$/.exec(child.said.at(-1)!)![1]);
      }
      const log = await SqliteLog.open(folder.path);
      const head = await log.head("game/g");
      await log.close();
      assert.ok(head!.version >= acknowledged, `${acknowledged} was acknowledged, ${head!.version} is there`);
    } finally {
      folder.remove();
    }
  });

  test("[LG8] a database without its write-ahead log is refused until the file is restored", () =>
    inCrashed(async (folder) => {
      const wal = join(folder, "openseat.db-wal");
      const bytes = readFileSync(wal);
      rmSync(wal);
      await assertLoss(folder, /went back: at least 40 of 40 acknowledged changes are missing\. /);
      writeFileSync(wal, bytes);
      await assertOpens(folder);
    }));

  test("[LG8] a copy of openseat.db alone is refused: the database knows that a head file belongs to it", () =>
    inCrashed(async (folder) => {
      for (const name of ["openseat.db-wal", "head.json"]) rmSync(join(folder, name));
      await assertLoss(folder, /The file head\.json in the data folder .* is missing\. /);
    }));

  test("[LG8] a write-ahead log that is truncated or has a flipped byte anywhere is either complete or refused", () =>
    inCrashed(async (folder, root) => {
      const wal = join(folder, "openseat.db-wal");
      const { size } = statSync(wal);
      let refused = 0;
      for (let step = 1; step < 24; step++) {
        const at = Math.floor((size * step) / 24);
        for (const damage of ["cut", "flipped"] as const) {
          const copy = join(root, `${damage}-${at}`);
          cpSync(folder, copy, { recursive: true });
          if (damage === "cut") truncateSync(join(copy, "openseat.db-wal"), at);
          else flip(join(copy, "openseat.db-wal"), at);
          try {
            await assertOpens(copy);
          } catch (error) {
            assert.ok(error instanceof LogUnusable, String(error));
            assert.match(error.message, /went back: at least \d+ of 40 acknowledged changes are missing\. /);
            refused++;
          }
        }
      }
      assert.equal(refused, 46);
    }));

  test("[LG8] a refused start leaves a damaged write-ahead log unchanged, even without a lock file", () =>
    inCrashed(async (folder) => {
      const wal = join(folder, "openseat.db-wal");
      truncateSync(wal, Math.floor(statSync(wal).size / 2));
      assert.ok(!existsSync(join(folder, "owner.lock")));
      await assertLoss(folder, /went back: at least \d+ of 40 acknowledged changes are missing\. /);
      await assertLoss(folder, /went back: at least \d+ of 40 acknowledged changes are missing\. /);
    }));

  test("[LG8] a head file without a database is refused", () =>
    inCrashed(async (folder) => {
      rmSync(join(folder, "openseat.db"));
      await assertLoss(folder, /has a head\.json and no openseat\.db: its log is missing\. /);
      assert.ok(!existsSync(join(folder, "openseat.db")));
    }));

  for (const [what, content] of [
    ["empty", ""],
    ["cut off", '{ "format": 1, "str'],
    ["something else", "[]"],
    ["of another format", '{ "format": 2, "streams": 1, "batch": 1, "hash": "" }'],
  ])
    test(`[LG8] a head file that is ${what} is refused, and replaced when the loss is accepted`, () =>
      inCrashed(async (folder) => {
        writeFileSync(join(folder, "head.json"), content);
        await assertLoss(folder, /head\.json in the data folder .* is not as the server wrote it\. /);
        await (await SqliteLog.open(folder, { acceptsLoss: true })).close();
        await assertOpens(folder);
      }));

  test("[LG8] an accepted loss is reported once with its size", () =>
    inCrashed(async (folder) => {
      const wal = join(folder, "openseat.db-wal");
      truncateSync(wal, Math.floor(statSync(wal).size / 2));
      const notices: string[] = [];
      const onNotice = (notice: string) => notices.push(notice);
      const log = await SqliteLog.open(folder, { acceptsLoss: true, onNotice });
      const [, missing] = /^The loss was accepted\. .* at least (\d+) of 40 /.exec(notices[0])!;
      assert.deepEqual([notices.length, headIn(folder).batch], [1, 40 - Number(missing)]);
      await appendAll(log, [appendTo("game/c", 0)]);
      await log.close();
      await (await SqliteLog.open(folder, { onNotice })).close();
      assert.equal(notices.length, 1);
    }));

  test("[LG8] the log of another folder is refused, even if it is longer", () =>
    inCrashed(async (folder) => {
      const other = tempFolder();
      const log = await SqliteLog.open(other.path);
      await fill(log, "game/other", Array(50).fill(1));
      await fill(log, "game/another", [1]);
      await log.close();
      copyFileSync(join(other.path, "openseat.db"), join(folder, "openseat.db"));
      rmSync(join(folder, "openseat.db-wal"));
      await assertLoss(
        folder,
        /is not the one that its head\.json was written for: batch 40 has another hash\. /,
      );
      other.remove();
    }));

  test("[LG8] a head file that is older than the database is right: so is a backup that was made in this order", () =>
    inCrashed(async (folder) => {
      const head = readFileSync(join(folder, "head.json"));
      const log = await SqliteLog.open(folder);
      await fill(log, "game/later", [1, 1, 1]);
      await log.close();
      writeFileSync(join(folder, "head.json"), head);
      await assertOpens(folder);
    }));

  test("[LG8] a folder without a head file from an older version is opened and gets one", () =>
    inCrashed(async (folder) => {
      rmSync(join(folder, "head.json"));
      const db = new DatabaseSync(join(folder, "openseat.db"));
      db.exec("PRAGMA application_id = 0");
      db.close();
      await assertOpens(folder);
      assert.equal(headIn(folder).batch, 40);
    }));

  test("[LG8] a server whose folder was replaced while it ran does not write its head into the new one", () =>
    inCrashed(async (folder, root) => {
      const backup = join(root, "backup");
      copyFolder(folder, backup);
      const log = await SqliteLog.open(folder);
      renameSync(folder, join(root, "moved"));
      renameSync(backup, folder);
      // It may refuse at this point; only the new folder matters.
      await appendAll(log, [appendTo("game/late", 0)]).catch(() => {});
      await log.close();
      await assertOpens(folder);
    }));

  test("[LG8] [LG2] while it cannot be written, the log stays usable, and the failure is reported once", async () => {
    const folder = tempFolder();
    const notices: string[] = [];
    const log = await SqliteLog.open(folder.path, { onNotice: (notice) => notices.push(notice) });
    const obstacle = join(folder.path, "head.json.new");
    mkdirSync(obstacle);
    await fill(log, "game/a", [1]);
    await until(() => notices.length > 0, "it is told");
    await fill(log, "game/b", [1, 1]);
    rmdirSync(obstacle);
    await until(() => headIn(folder.path).batch === 3, "the head file catches up");
    assert.equal(notices.length, 1);
    assert.match(notices[0], /^The head file of the log cannot be written: EISDIR/);
    await log.close();
    mkdirSync(obstacle);
    await assert.rejects(SqliteLog.open(folder.path), /The head file of the log cannot be written: EISDIR/);
    rmdirSync(obstacle);
    await (await SqliteLog.open(folder.path)).close();
    folder.remove();
  });
});

describe("[LG8] openseat copy and the head file", () => {
  test("[LG8] a copy to an existing log leaves it unchanged, including its write-ahead log", () =>
    inCrashed(async (folder, root) => {
      const source = join(root, "source");
      await (await SqliteLog.open(source)).close();
      const wal = join(folder, "openseat.db-wal");
      truncateSync(wal, Math.floor(statSync(wal).size / 2));
      for (const lock of ["absent", "there"]) {
        const before = contentsOf(folder);
        const { code } = await ran(["--from", `sqlite:${source}`, "--to", `sqlite:${folder}`]);
        assert.equal(code, 1);
        assert.deepEqual(contentsOf(folder), before, `lock file ${lock}`);
        writeFileSync(join(folder, "owner.lock"), "");
      }
    }));

  test("[LG8] [LG7] the copy gets a head file, and a source that went back is not copied", () =>
    inCrashed(async (folder, root) => {
      const target = join(root, "target");
      const copy = () => ran(["--from", `sqlite:${folder}`, "--to", `sqlite:${target}`]);
      const wal = join(folder, "openseat.db-wal");
      const bytes = readFileSync(wal);
      truncateSync(wal, bytes.length / 2);
      const refused = await copy();
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /went back: .* --accept-lost-changes\.\n$/);
      writeFileSync(wal, bytes);
      const { code, stderr } = await copy();
      assert.equal(code, 0, stderr);
      assert.equal(headIn(target).batch, 40);
      rmSync(join(target, "head.json"));
      await assertLoss(target, /The file head\.json .* is missing\. /);
      await (await SqliteLog.open(target, { acceptsLoss: true })).close();
      await assertOpens(target);
    }));
});

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] ^= 0x40;
  writeFileSync(path, bytes);
}

test("[LG8] a rollback journal left by a crash during the first start does not prevent the next start", async () => {
  const root = tempFolder();
  try {
    const began = join(root.path, "began");
    const folder = join(root.path, "crashed");
    for (const each of [began, folder]) mkdirSync(each);
    const db = new DatabaseSync(join(began, "openseat.db"));
    db.exec("CREATE TABLE begun (page TEXT)");
    db.exec(
      "INSERT INTO begun SELECT hex(zeroblob(2000)) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8))",
    );
    db.exec("PRAGMA cache_size = 1; BEGIN; UPDATE begun SET page = hex(randomblob(2000))");
    for (const name of readdirSync(began)) copyFileSync(join(began, name), join(folder, name));
    db.close();
    assert.ok(existsSync(join(folder, "openseat.db-journal")));
    const read = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
    assert.throws(() => read.prepare("PRAGMA user_version").get(), /readonly/, "it has to be rolled back");
    read.close();
    await (await SqliteLog.open(folder)).close();
  } finally {
    root.remove();
  }
});
