import assert from "node:assert/strict";
import { tables } from "../../src/copy/tables.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { testsNeeding } from "../support/needs.ts";
import { freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { queried } from "./stores.ts";

const { test } = testsNeeding(missingPostgres);

/** As `table.column`, in order. */
const copiedColumns = tables
  .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`))
  .sort();

/** Tables for node communication; and the secrets, which are copied separately. */
const notOfTheLog = ["schema_version", "nodes", "service", "heard", "secrets"];
/** Which of several nodes has saved a snapshot. */
const ofNodes = ["snapshots.saving", "snapshot_parts.saving"];

test("[LG7] PostgreSQL keeps the same columns of the log as the embedded store, which are those that are copied", async () => {
  const { url, drop } = await freshDatabase();
  await (await PostgresLog.open(url, { node: "a test" })).close();
  const kept = await queried(
    url,
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'openseat' AND is_generated = 'NEVER' AND table_name <> ALL ($1)`,
    [notOfTheLog],
  );
  await drop();
  const names: string[] = kept.map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !ofNodes.includes(name)).sort(), copiedColumns);
});
