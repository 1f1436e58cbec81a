// Stands in for programs of PostgreSQL that npm does not bring. Each does the same by hand:
// - psql URL -c SQL …: each statement on its own; prints values with | between them
// - pg_basebackup --dbname URL --pgdata FOLDER: a copy of the files between pg_backup_start and pg_backup_stop
// - pg_dump --schema NAME --file FILE URL: the rows of all tables, as one transaction sees them
// - pg_restore --dbname URL FILE: the tables as migrations make them, with these rows
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type pg from "pg";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { baseBackup, connectTo } from "../support/postgres.ts";

const [program, ...args] = process.argv.slice(2);
const text = { type: "string" } as const;
const { values, positionals } = parseArgs({
  args,
  allowPositionals: true,
  options: {
    ...{ dbname: text, pgdata: text, schema: text, file: text, format: text, checkpoint: text },
    ...({ "exit-on-error": { type: "boolean" }, "no-owner": { type: "boolean" } } as const),
    command: { type: "string", short: "c", multiple: true },
  },
});

async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await connectTo(url);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const query = (url: string) =>
  connected(url, async (client) => {
    for (const command of values.command!)
      for (const row of (await client.query({ text: command, rowMode: "array" })).rows)
        process.stdout.write(`${row.join(" | ")}\n`);
  });

/** Omits generated columns. */
const columnsOf = `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) AS columns
  FROM information_schema.columns WHERE table_schema = $1 AND is_generated = 'NEVER' GROUP BY table_name`;

const sequencesOf = `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value AS last
  FROM pg_sequences WHERE schemaname = $1 AND last_value IS NOT NULL`;

const dump = (url: string, schema: string, file: string) =>
  connected(url, async (client) => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const tables = [];
    for (const { name, columns } of (await client.query(columnsOf, [schema])).rows) {
      const all = `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM (SELECT ${columns} FROM ${schema}.${name}) t`;
      tables.push({ name: `${schema}.${name}`, columns, rows: (await client.query(all)).rows[0].rows });
    }
    const sequences = (await client.query(sequencesOf, [schema])).rows;
    writeFileSync(file, JSON.stringify({ tables, sequences }));
  });

async function restore(url: string, file: string): Promise<void> {
  const log = await PostgresLog.open(url, { node: "a restore" });
  await log.close();
  const { tables, sequences } = JSON.parse(readFileSync(file, "utf8"));
  await connected(url, async (client) => {
    for (const { name, columns, rows } of tables) {
      await client.query(`TRUNCATE ${name}`);
      const from = `SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1)`;
      await client.query(`INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE ${from}`, [rows]);
    }
    for (const { name, last } of sequences) await client.query("SELECT setval($1, $2)", [name, last]);
  });
}

const [first] = positionals;
if (program === "psql") await query(first);
else if (program === "pg_basebackup") await baseBackup(values.dbname!, resolve(values.pgdata!));
else if (program === "pg_dump") await dump(first, values.schema!, values.file!);
else if (program === "pg_restore") await restore(values.dbname!, first);
else throw new Error(`no stand-in for ${program}`);
