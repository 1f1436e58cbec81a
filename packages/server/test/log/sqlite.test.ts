import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { LogUnavailable, LogUnusable } from "../../src/log/log.ts";
import { migrations } from "../../src/log/sqlite/migrations.ts";
import { FolderTaken } from "../../src/log/sqlite/owner.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { appendAll } from "../support/append-all.ts";
import { failingFlushes, missingCompiler, skipFailingFlushes } from "../support/failing-flushes.ts";
import { tempFolder } from "../support/folder.ts";
import { testsNeeding } from "../support/needs.ts";
import { until } from "../support/test-clock.ts";
import { Child } from "./child-process.ts";
import { appendTo, assertWhole, fill } from "./contract.ts";

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { stdio: "pipe" });
}

/** A folder, and child processes that end with the test. */
async function inFolder(
  work: (folder: string, start: (env?: Record<string, string>) => Child) => Promise<void>,
): Promise<void> {
  const folder = tempFolder();
  const children: Child[] = [];
  try {
    await work(folder.path, (env) => {
      const child = new Child(folder.path, env);
      children.push(child);
      return child;
    });
  } finally {
    for (const child of children) await child.kill();
    folder.remove();
  }
}

describe("the data folder", () => {
  test("[LG6] a second process on a folder is refused with a sentence that names the first", () =>
    inFolder(async (folder, start) => {
      const owner = start();
      assert.equal(await owner.nextLine(), "open");
      const sentence = `in use by another Openseat (process ${owner.process.pid})`;
      await assert.rejects(SqliteLog.open(folder), (error: Error) => {
        assert.ok(error instanceof FolderTaken);
        assert.ok(error.message.includes(sentence) && error.message.includes(folder), error.message);
        return true;
      });
      const second = start();
      const refusal = await second.nextLine();
      assert.ok(refusal.startsWith("refused FolderTaken: ") && refusal.includes(sentence), refusal);
      assert.match(await owner.asks("append"), /^appended 1$/, "the owner is not disturbed");
    }));

  test("[LG6] a second log in the same process is refused as well", () =>
    inFolder(async (folder) => {
      const log = await SqliteLog.open(folder);
      await assert.rejects(SqliteLog.open(folder), FolderTaken);
      await fill(log, "game/a", [1]);
      await log.close();
    }));

  test("[LG6] the folder is free again after a close and after a kill -9", () =>
    inFolder(async (folder, start) => {
      const first = start();
      assert.equal(await first.nextLine(), "open");
      assert.equal(await first.asks("append"), "appended 1");
      assert.equal(await first.asks("close"), "closed");
      const second = start();
      assert.equal(await second.nextLine(), "open");
      assert.equal(await second.asks("append"), "appended 3");
      await second.kill();
      const log = await SqliteLog.open(folder);
      assert.equal(await assertWhole(log, "game/g"), 3);
      await log.close();
      await (await SqliteLog.open(folder)).close();
    }));

  test("[LG6] a folder that cannot be opened is free again at once: its database is closed", () =>
    inFolder(async (folder) => {
      await (await SqliteLog.open(folder)).close();
      const change = (sql: string) => {
        const db = new DatabaseSync(join(folder, "openseat.db"));
        db.exec(sql);
        db.close();
      };
      change("PRAGMA user_version = 999");
      for (const _ of Array(5)) {
        await assert.rejects(SqliteLog.open(folder), LogUnusable);
        // SQLite refuses this while another process has the database open.
        change("PRAGMA journal_mode = DELETE");
      }
    }));

  test("[LG6] a folder written by a newer Openseat is refused with a sentence and left unchanged", () =>
    inFolder(async (folder) => {
      await (await SqliteLog.open(folder)).close();
      const setVersion = (version: number) => {
        const db = new DatabaseSync(join(folder, "openseat.db"));
        db.exec(`PRAGMA user_version = ${version}`);
        db.close();
      };
      setVersion(999);
      await assert.rejects(SqliteLog.open(folder), (error: Error) => {
        assert.match(error.message, /written by a newer Openseat \(schema 999; this one knows \d+\)/);
        assert.doesNotMatch(error.message, /just now|\.\./, "it is not a temporary failure");
        return true;
      });
      setVersion(migrations.length);
      await (await SqliteLog.open(folder)).close();
    }));

  test("[LG3] stored entries and snapshots survive closing and reopening", () =>
    inFolder(async (folder) => {
      const log = await SqliteLog.open(folder);
      const [{ hash }] = await fill(log, "game/a", [7]);
      await log.saveSnapshot("game/a", { version: 7, hash, parts: [new Uint8Array([1, 2])] });
      await log.close();
      const again = await SqliteLog.open(folder);
      assert.equal(await assertWhole(again, "game/a"), 7);
      assert.deepEqual([...(await again.loadSnapshot("game/a"))!.parts[0]], [1, 2]);
      await again.close();
    }));

  test("[LG2] a closed log refuses calls instead of leaving them waiting", () =>
    inFolder(async (folder) => {
      const log = await SqliteLog.open(folder);
      await log.close();
      await assert.rejects(appendAll(log, [appendTo("game/a", 0)]), LogUnavailable);
      await assert.rejects(log.read("game/a", 0, 1), LogUnavailable);
      await log.close();
    }));

  test("[LM4] an append does not wait for the reads that were asked for before it", () =>
    inFolder(async (folder) => {
      const log = await SqliteLog.open(folder);
      await fill(log, "game/a", [500, 500, 500, 500]);
      const done: string[] = [];
      const reads = Array.from({ length: 200 }, async () => {
        await log.read("game/a", 0, 2_000);
        done.push("read");
      });
      await appendAll(log, [appendTo("game/b", 0)]);
      done.push("append");
      await Promise.all(reads);
      await log.close();
      assert.ok(done.indexOf("append") < 20, `${done.indexOf("append")} reads came before it`);
      assert.equal(done.length, 201, "each read is answered");
    }));
});

describe("what SQLite has acknowledged", () => {
  test("[LG2] the journal is a write-ahead log", () =>
    inFolder(async (folder) => {
      await (await SqliteLog.open(folder)).close();
      const db = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
      assert.deepEqual({ ...db.prepare("PRAGMA journal_mode").get() }, { journal_mode: "wal" });
      db.close();
    }));

  for (const { what, break: spoil, told } of [
    {
      what: "is a file",
      break: (data: string) => writeFileSync(data, ""),
      told: /EEXIST: .*\. Check that it is a folder, that the user who runs the server may write to it /,
    },
    {
      what: "has a folder in the place of its openseat.db",
      break: (data: string) => mkdirSync(join(data, "openseat.db"), { recursive: true }),
      told: /: disk I\/O error\. Check that it is a folder, /,
    },
    {
      what: "has an openseat.db that is not an Openseat database",
      break(data: string) {
        mkdirSync(data);
        writeFileSync(join(data, "openseat.db"), "none".repeat(5_000));
      },
      told: /: file is not a database\. Its openseat\.db is damaged or not an Openseat database: restore the whole folder from a backup\.$/,
    },
  ])
    test(`a data folder that ${what}: a sentence that names it and says what to do`, () =>
      inFolder(async (folder) => {
        const data = join(folder, "data");
        spoil(data);
        await assert.rejects(SqliteLog.open(data), (error: Error) => {
          assert.ok(error instanceof LogUnusable);
          assert.ok(error.message.startsWith(`The data folder ${data} cannot be used: `), error.message);
          assert.match(error.message, told);
          return true;
        });
      }));

  test("[AU4] files are created for the owner only, and permissions are tightened at the next start", () =>
    inFolder(async (path) => {
      const folder = join(path, "new", "data");
      const names = ["db", "db-shm", "db-wal"].map((end) => `openseat.${end}`);
      names.push("head.json", ...["lock", "lock-journal", "pid"].map((end) => `owner.${end}`));
      const modesWhileOpen = async () => {
        const log = await SqliteLog.open(folder);
        const found = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);
        await log.close();
        return Object.fromEntries(found);
      };
      const closed = Object.fromEntries(names.map((name) => [name, "600"]));
      assert.deepEqual(await modesWhileOpen(), closed);
      assert.deepEqual([modeOf(folder), modeOf(join(path, "new"))], ["700", "700"]);
      // The journal too, as after a crash.
      for (const name of names) {
        writeFileSync(join(folder, name), "", { flag: "a" });
        chmodSync(join(folder, name), 0o644);
      }
      chmodSync(folder, 0o755);
      assert.deepEqual(await modesWhileOpen(), closed);
      assert.equal(modeOf(folder), "755", "the owner decides who may read the folder");
    }));

  test("[LG6] an operator can query with SQL while the log is in use without blocking it", () =>
    inFolder(async (folder) => {
      const log = await SqliteLog.open(folder);
      await fill(log, "game/a", [3, 4]);
      const db = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
      const count = db.prepare("SELECT version, (SELECT sum(count) FROM batches) AS entries FROM streams");
      db.exec("BEGIN");
      assert.deepEqual({ ...count.get() }, { version: 7, entries: 7 });
      await fill(log, "game/b", [5]);
      db.exec("COMMIT");
      db.close();
      assert.equal(await assertWhole(log, "game/b"), 5);
      await log.close();
    }));

  test("[LG3] a process killed during appends loses nothing that it acknowledged", () =>
    inFolder(async (folder, start) => {
      let acknowledged = 0;
      for (let round = 0; round < 5; round++) {
        const child = start();
        assert.equal(await child.nextLine(), "open");
        child.process.stdin!.write("run\n");
        await until(() => child.said.length > 15 + 5 * round, "the child has appended for a while");
        await child.kill();
        const last = child.said.at(-1)!;
        assert.match(last, /^appended \d+$/);
        const version = Number(last.split(" ")[1]);
        assert.ok(version > acknowledged);
        const log = await SqliteLog.open(folder);
        const stored = await assertWhole(log, "game/g");
        assert.ok(stored >= version, `${version} was acknowledged and ${stored} is there`);
        acknowledged = stored;
        await log.close();
      }
    }));

  test("[LG3] on a full disk appends are refused, everything acknowledged stays, and the log recovers once there is space", async (t) => {
    const folder = tempFolder();
    try {
      run("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", folder.path]);
    } catch {
      folder.remove();
      return t.skip("a small disk cannot be mounted, which needs root on Linux");
    }
    try {
      const ballast = join(folder.path, "ballast");
      writeFileSync(ballast, new Uint8Array(1_500_000));
      const log = await SqliteLog.open(join(folder.path, "data"));
      try {
        let acknowledged = appendTo("game/a", 0);
        await appendAll(log, [acknowledged]);
        const next = () =>
          appendTo("game/a", acknowledged.after + acknowledged.lines.length, acknowledged.hash, {
            count: 3,
            text: "x".repeat(10_000),
          });
        let failure: unknown;
        for (let round = 0; round < 200 && !failure; round++) {
          const append = next();
          try {
            assert.deepEqual(await appendAll(log, [append]), ["appended"]);
            acknowledged = append;
          } catch (error) {
            failure = error;
          }
        }
        assert.ok(failure instanceof LogUnavailable, String(failure));
        const version = acknowledged.after + acknowledged.lines.length;
        assert.equal(await assertWhole(log, "game/a"), version);
        const undecided = log.commit([{ stream: "game/a", after: version, hash: "" }], () =>
          assert.fail("decided"),
        );
        await assert.rejects(undecided, LogUnavailable, "and again, before anything is decided");
        assert.deepEqual(await log.due(9 as Millis, 9), [], "stored data can be read");
        rmSync(ballast);
        await until(() => log.failure === undefined, "there is room");
        const append = next();
        assert.deepEqual(await appendAll(log, [append]), ["appended"]);
        assert.equal(await assertWhole(log, "game/a"), version + 3);
      } finally {
        await log.close();
      }
    } finally {
      run("umount", ["-l", folder.path]);
      folder.remove();
    }
  });

  testsNeeding(missingCompiler).test(
    "[LG2] an append whose flush fails is refused, everything acknowledged stays, and the log recovers",
    { skip: skipFailingFlushes },
    () =>
      inFolder(async (folder, start) => {
        const tools = join(folder, "tools");
        mkdirSync(tools);
        const flushes = failingFlushes(tools);
        const child = start(flushes.environment);
        assert.equal(await child.nextLine(), "open");
        assert.equal(await child.asks("append"), "appended 1");
        for (const acknowledged of [1, 3, 4]) {
          flushes.fail();
          assert.match(await child.asks("append"), /^failed LogUnavailable: /);
          assert.equal(await child.asks("count"), `count ${acknowledged}`);
          flushes.heal();
          assert.match(await child.asks("append"), /^appended \d+$/);
        }
        flushes.fail();
        assert.match(await child.asks("append"), /^failed LogUnavailable: /);
        await child.kill();
        const log = await SqliteLog.open(folder);
        assert.ok((await assertWhole(log, "game/g")) >= 6);
        await log.close();
      }),
  );
});
