import assert from "node:assert/strict";
import { cpSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { LogUnavailable } from "../../src/log/log.ts";
import { FolderTaken } from "../../src/log/sqlite/owner.ts";
import { SqliteLog, type SqliteTerms } from "../../src/log/sqlite/sqlite-log.ts";
import { appendAll } from "../support/append-all.ts";
import { tempFolder } from "../support/folder.ts";
import { until } from "../support/test-clock.ts";
import { appendTo, assertWhole, fill } from "./contract.ts";

interface Stage {
  readonly log: SqliteLog;
  readonly folder: string;
  /** The log's reports, in order. */
  readonly said: string[];
}

async function onLog(work: (stage: Stage) => Promise<void>, terms: SqliteTerms = {}): Promise<void> {
  const root = tempFolder();
  const folder = join(root.path, "data");
  const said: string[] = [];
  const log = await SqliteLog.open(folder, {
    ...terms,
    onFailure: ({ message }) => said.push(message),
    onRecovered: () => said.push("recovered"),
  });
  try {
    await work({ log, folder, said });
  } finally {
    await log.close();
    root.remove();
  }
}

const lost = (name: string) =>
  new RegExp(`data folder was removed or replaced while the server was running \\(${name}\\)`);

const isLost = (name: string) => (error: Error) => {
  assert.ok(error instanceof LogUnavailable, String(error));
  assert.match(error.message, lost(name));
  return true;
};

suite("a log that hangs", () => {
  test("[LG10] a call times out, further ones are refused at once, and the log recovers by itself", () =>
    onLog(
      async ({ log, folder, said }) => {
        const [first] = await fill(log, "game/a", [3]);
        // Holding the writer's lock blocks the thread like a hanging disk.
        const other = new DatabaseSync(join(folder, "openseat.db"));
        other.exec("BEGIN IMMEDIATE");
        const append = appendTo("game/a", 3, first.hash);
        await assert.rejects(appendAll(log, [append]), /the disk has not answered for 1 s\./);
        assert.ok(log.failure instanceof LogUnavailable);
        await assert.rejects(log.head("game/a"), (error) => error === log.failure);
        assert.equal(said.length, 1);
        other.exec("ROLLBACK");
        other.close();
        await until(() => log.failure === undefined, "the log can be used again");
        assert.deepEqual(said.slice(1), ["recovered"]);
        // It was under way, and succeeded.
        assert.equal(await assertWhole(log, "game/a"), 4);
        assert.deepEqual(await appendAll(log, [append]), ["conflict"]);
      },
      { timeoutMs: 1_000 },
    ));
});

suite("a data folder that is removed or replaced", () => {
  test("[LG11] once openseat.db is gone, nothing is acknowledged", () =>
    onLog(async ({ log, folder, said }) => {
      const [{ hash }] = await fill(log, "game/a", [3]);
      unlinkSync(join(folder, "openseat.db"));
      await assert.rejects(appendAll(log, [appendTo("game/a", 3, hash)]), isLost("openseat.db"));
      await assert.rejects(log.nextDue(0 as never), isLost("openseat.db"));
      assert.equal(said.length, 1);
    }));

  for (const name of ["openseat.db-wal", "openseat.db-shm", "owner.lock"]) {
    test(`[LG11] without ${name} nothing is acknowledged after detection, and a stop saves earlier changes`, () =>
      onLog(async ({ log, folder, said }) => {
        const [{ hash }] = await fill(log, "game/a", [3]);
        unlinkSync(join(folder, name));
        await until(() => log.failure !== undefined, "it is noticed");
        await assert.rejects(appendAll(log, [appendTo("game/a", 3, hash)]), isLost(name));
        assert.equal(said.length, 1);
        await log.close();
        const after = await SqliteLog.open(folder);
        assert.equal(await assertWhole(after, "game/a"), 3);
        await after.close();
      }));
  }

  test("[LG11] once the folder is gone, nothing is acknowledged, even with another in its place", () =>
    onLog(async ({ log, folder }) => {
      const [{ hash }] = await fill(log, "game/a", [3]);
      cpSync(folder, `${folder}-copy`, { recursive: true });
      rmSync(folder, { recursive: true });
      const append = appendTo("game/a", 3, hash);
      await assert.rejects(appendAll(log, [append]), isLost("openseat.db"));
      renameSync(`${folder}-copy`, folder);
      await assert.rejects(appendAll(log, [append]), isLost("openseat.db"));
    }));

  test("[LG11] it is noticed while idle, reported once, and over when the folder is back", () =>
    onLog(async ({ log, folder, said }) => {
      await fill(log, "game/a", [3]);
      renameSync(folder, `${folder}-away`);
      await until(() => log.failure !== undefined, "it is noticed");
      await until(() => said.length > 0, "it is said");
      renameSync(`${folder}-away`, folder);
      await until(() => log.failure === undefined, "it is over");
      assert.match(said[0], lost("openseat.db"));
      assert.deepEqual(said.slice(1), ["recovered"]);
      await fill(log, "game/b", [2]);
    }));

  test("[LG6] a removed lock file lets nobody in while the owner runs, however often they try", () =>
    onLog(async ({ log, folder }) => {
      unlinkSync(join(folder, "owner.lock"));
      for (let attempt = 0; attempt < 3; attempt++)
        await assert.rejects(SqliteLog.open(folder), (error: Error) => {
          assert.ok(error instanceof FolderTaken, String(error));
          assert.match(error.message, /lost its lock file \(owner\.lock\).*Stop that one first\.$/);
          return true;
        });
      await log.close();
      await (await SqliteLog.open(folder)).close();
    }));
});
