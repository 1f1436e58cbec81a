import assert from "node:assert/strict";
import { join } from "node:path";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { contentOfFolder, queried } from "../copy/stores.ts";
import { tempFolder } from "../support/folder.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { dumpOf } from "./record/dump.ts";
import { record } from "./record/record.ts";
import { streamsIn } from "./streams.ts";
import { Written } from "./written.ts";

const { test } = testsNeeding(missingPostgres);

test("what this version writes is recorded completely, for tests of later ones", async () => {
  const parent = tempFolder();
  const path = join(parent.path, "written-by-9.8.7");
  await record(path, "9.8.7");
  const written = new Written(path);
  assert.equal(written.version, "9.8.7");
  assert.ok(written.timeless.length >= 7);
  const names = contentOfFolder(path).streams.map(({ name }) => name);
  assert.deepEqual(names.sort(), Object.keys(written.folder.streams));
  const kinds = new Set(names.map((name: string) => name.split("/")[0]));
  assert.deepEqual([...kinds].sort(), ["arena", "directory", "game", "ladder", "queue"]);

  const database = await written.restoreDatabase();
  const rows = await queried(database.url, "SELECT name FROM streams");
  assert.equal(rows.length, names.length + 1);
  // The dump is complete: a dump of what it restores is the same.
  const again = await dumpOf(database.url);
  assert.equal(again, written.sql);
  const log = await PostgresLog.open(database.url, { node: "a test" });
  const { streams } = written.database;
  assert.deepEqual(await streamsIn(log, Object.keys(streams)), streams);
  await log.close();
  await database.drop();
  parent.remove();
});
