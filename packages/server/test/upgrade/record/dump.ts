import { migrations } from "../../../src/log/postgres/migrations.ts";
import { statementsIn } from "../../../src/log/statements.ts";
import { queried } from "../../copy/stores.ts";

const foundation = statementsIn(new URL("../../../src/log/postgres/sql/foundation.sql", import.meta.url))(
  "foundation",
);

/** The database as SQL. npm has no `pg_dump`. */
export async function dumpOf(url: string): Promise<string> {
  const tables = await queried(
    url,
    `SELECT relname AS name, array_agg(attname ORDER BY attnum) AS columns
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = 'openseat'::regnamespace AND relkind = 'r'
        AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      GROUP BY relname ORDER BY relname COLLATE "C"`,
  );
  const structure = [
    "CREATE SCHEMA openseat;\n\nSET search_path = openseat;",
    foundation,
    ...migrations.map(({ sql }) => sql.trim()),
  ];
  const contents: string[] = [];
  for (const { name, columns } of tables) contents.push(await rowsOf(url, name, columns));
  return `${[...structure, ...contents, await sequencesOf(url)].join("\n\n")}\n`;
}

async function rowsOf(url: string, table: string, columns: readonly string[] | string): Promise<string> {
  // The driver leaves an array of names as text.
  const names = typeof columns === "string" ? columns.slice(1, -1).split(",") : columns;
  const quoted = names.map((name) => `"${name}"`);
  const values = quoted.map((name) => `quote_nullable(${name}::text)`).join(" || ', ' || ");
  const rows = await queried(url, `SELECT '(' || ${values} || ')' AS row FROM "${table}" ORDER BY 1`);
  // A migration may have inserted rows.
  const cleared = `DELETE FROM "${table}";`;
  if (rows.length === 0) return cleared;
  const inserted = rows.map(({ row }) => row).join(",\n");
  return `${cleared}\nINSERT INTO "${table}" (${quoted.join(", ")}) OVERRIDING SYSTEM VALUE VALUES\n${inserted};`;
}

async function sequencesOf(url: string): Promise<string> {
  const sequences = await queried(
    url,
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
      WHERE schemaname = 'openseat' AND last_value IS NOT NULL ORDER BY sequencename COLLATE "C"`,
  );
  return sequences.map(({ name, last }) => `SELECT setval('openseat."${name}"', ${last});`).join("\n");
}
