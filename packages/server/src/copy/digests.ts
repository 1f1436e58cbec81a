import { createHash, type Hash } from "node:crypto";
import { type Row, streamsTable, type Table, tables, type Value } from "./tables.ts";

/** Digests of all rows of each table, in order. Stores with the same digests are identical. */
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

  /** Of the heads of all streams. To be called once, at the end, like `differences`. */
  heads(): string {
    return this.#heads.digest("hex");
  }

  /** The tables that differ, with a note on each. */
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

/** Bytes by their length, because they follow. The character zero as PostgreSQL, which cannot store it, holds it. */
function comparable(value: Value): Value {
  if (value instanceof Uint8Array) return value.length;
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}
