import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { tables } from "../../src/copy/tables.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { migrations } from "../../src/log/sqlite/migrations.ts";
import { testsNeeding } from "../support/needs.ts";
import { freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { queried } from "./stores.ts";

const { test } = testsNeeding(missingPostgres);

/** As `table.column`, in order. */
const copiedColumns = tables
  .flatMap(({ name, columns }) => Object.keys(columns).map((column) => `${name}.${column}`))
  .sort();

test("[LG7] every column that SQLite keeps is copied, but for where a row is and what follows from the others", () => {
  const db = new DatabaseSync(":memory:");
  for (const { sql } of migrations) db.exec(sql);
  const kept = db
    .prepare(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c
       WHERE t.type = 'table' AND t.name <> 'sqlite_sequence' AND c.hidden = 0 AND c.name <> 'id'`,
    )
    .all()
    .map(({ name }) => String(name));
  db.close();
  assert.deepEqual(kept.sort(), copiedColumns);
});

/** What nodes tell each other while they run; and the secrets, which are copied by their own way. */
const notOfTheLog = ["schema_version", "nodes", "service", "heard", "secrets"];
/** Which of several nodes has saved a snapshot. */
const ofNodes = ["snapshots.saving", "snapshot_parts.saving"];

test("[LG7] every column that PostgreSQL keeps of the log is copied, but for what follows from the others", async () => {
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
