import { createHash, type Hash } from "node:crypto";
import { type Row, streamsTable, type Table, tables, type Value } from "./tables.ts";

/** Digests of all rows of each table, in order. Stores with equal digests are identical. */
export class Digests {
  readonly #tables = new Map(tables.map(({ name }) => [name, { rows: 0, hash: createHash("sha256") }]));
  readonly #heads = createHash("sha256");

  see(table: Table, rows: readonly Row[]): void {
    const seen = this.#tables.get(table.name)!;
    seen.rows += rows.length;
    for (const row of rows) update(seen.hash, row, table.columns);
    if (table.name !== streamsTable.name) return;
    for (const row of rows) this.#heads.update(`${row.name} ${row.version} ${row.hash}\n`);
  }

  /** Digest of the heads of all streams. Like `differences`, call it once, at the end. */
  heads(): string {
    return this.#heads.digest("hex");
  }

  /** The tables that differ, each with a note. */
  differences(from: Digests): string[] {
    return tables.flatMap(({ name }) => {
      const [here, there] = [this.#tables.get(name)!, from.#tables.get(name)!];
      if (here.rows !== there.rows) return [`${name} (${here.rows} rows instead of ${there.rows})`];
      return here.hash.digest("hex") === there.hash.digest("hex") ? [] : [name];
    });
  }
}

function update(hash: Hash, row: Row, columns: readonly string[]): void {
  const values = columns.map((column) => row[column]);
  hash.update(JSON.stringify(values.map(comparable)));
  for (const value of values) if (value instanceof Uint8Array) hash.update(value);
}

/**
 * Replaces bytes by their length, because the bytes themselves follow. Replaces the null character as PostgreSQL does, which
 * cannot store it.
 */
function comparable(value: Value): Value {
  if (value instanceof Uint8Array) return value.length;
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}
