import type { Session, Statement } from "../../log/postgres/connection/session.ts";
import { pageLimits } from "../ends.ts";
import type { Row, Table } from "../tables.ts";

/** The rows of a table in key order, page by page. */
export async function* readRows(session: Session, table: Table): AsyncGenerator<readonly Row[]> {
  const text = pageOf(table);
  // Keys are never negative.
  let after: readonly unknown[] = table.key.map(() => -1);
  for (;;) {
    const rows = await session.rows(text, after);
    if (rows.length === 0) return;
    yield rows;
    after = table.key.map((name) => rows.at(-1)![name]);
  }
}

/** The next rows after a key, within the limits of a page. Sizes are computed without reading the values. */
function pageOf({ name, columns, longColumns, key, only, onlyInPostgres = only }: Table): string {
  const names = columns.join(", ");
  const order = key.join(", ");
  const sizes = longColumns.map((column) => `coalesce(octet_length(${column}), 0)`);
  return `
    SELECT ${names} FROM (
      SELECT ${names}, sum(row_bytes) OVER (ORDER BY ${order}) - row_bytes AS bytes_before FROM (
        SELECT ${names}, ${["0", ...sizes].join(" + ")} AS row_bytes FROM ${name}
        WHERE (${order}) > (${key.map((_, index) => `$${index + 1}::bigint`).join(", ")}) ${onlyInPostgres ? `AND ${onlyInPostgres}` : ""}
        ORDER BY ${order} LIMIT ${pageLimits.pageRowsMax}
      ) AS next_rows
    ) AS sized WHERE bytes_before < ${pageLimits.pageCharactersMax} ORDER BY ${order}`;
}

const statementRowsMax = 128;

/**
 * Uses one round trip with statements of 128, 64, 32… rows, so that few texts must be prepared. Values are parameters: in an
 * array or in JSON, every quote in an entry would have to be escaped.
 */
export async function writeRows(session: Session, table: Table, rows: readonly Row[]): Promise<void> {
  const statements: Statement[] = [];
  let written = 0;
  for (let size = statementRowsMax; size >= 1; size /= 2) {
    for (; rows.length - written >= size; written += size)
      statements.push({
        text: insertOf(table, size),
        values: valuesOf(table, rows.slice(written, written + size)),
      });
  }
  await session.together(statements);
}

function valuesOf({ columns }: Table, rows: readonly Row[]): unknown[] {
  return rows.flatMap((row) => columns.map((column) => row[column]));
}

function insertOf({ name, columns }: Table, size: number): string {
  const given = Array.from({ length: size }, (_, row) => {
    const values = columns.map((_, column) => `$${row * columns.length + column + 1}`);
    return `(${values.join(", ")})`;
  });
  return `INSERT INTO ${name} (${columns.join(", ")}) VALUES ${given.join(", ")}`;
}
