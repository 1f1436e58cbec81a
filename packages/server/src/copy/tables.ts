import { DatabaseSync } from "node:sqlite";
import { migrations } from "../log/sqlite/migrations.ts";

export type Value = number | string | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns with potentially long values. */
  readonly longColumns: readonly string[];
  /** Integer columns. Rows are read in their order. */
  readonly key: readonly string[];
  /** A condition that selects the rows to copy. */
  readonly only?: string | undefined;
  readonly onlyInPostgres?: string | undefined;
}

/** Other parts belong to a snapshot that was replaced or never finished. */
const ofSnapshot =
  "EXISTS (SELECT 1 FROM snapshots AS head WHERE head.stream = snapshot_parts.stream AND head.version = snapshot_parts.version";

const conditions: Readonly<Record<string, Pick<Table, "only" | "onlyInPostgres">>> = {
  // A row without entries is not a stream yet. In SQLite it would refuse the first entry.
  streams: { only: "version > 0" },
  // Two nodes may have saved the same snapshot.
  snapshot_parts: {
    only: `${ofSnapshot})`,
    onlyInPostgres: `${ofSnapshot} AND head.saving = snapshot_parts.saving)`,
  },
};

/**
 * All tables of a log, from SQLite's migrations, without generated columns and `id`. Streams come first, because the others
 * refer to them.
 */
export const tables: readonly Table[] = tablesIn(new DatabaseSync(":memory:"));

function tablesIn(db: DatabaseSync): Table[] {
  for (const { sql } of migrations) db.exec(sql);
  const asked = (text: string, ...values: string[]) =>
    db.prepare(text).all(...values) as { name: string; type: string; pk: number }[];
  const tableNames = asked(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const found = tableNames.map(({ name }) => {
    const text = "SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 AND name <> 'id'";
    const columns = asked(text, name);
    const primaryKey = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    const index = asked(
      `SELECT key.name FROM pragma_index_list(?) AS list JOIN pragma_index_info(list.name) AS key
        WHERE list."unique" = 1 AND list.origin = 'c' ORDER BY key.seqno`,
      name,
    );
    return {
      name,
      columns: namesOf(columns),
      longColumns: namesOf(columns.filter(({ type }) => /TEXT|BLOB/.test(type))),
      key: namesOf(primaryKey.length > 0 ? primaryKey : index),
      ...conditions[name],
    };
  });
  db.close();
  return found;
}

function namesOf(all: readonly { readonly name: string }[]): string[] {
  return all.map(({ name }) => name);
}

const tableCalled = (name: string) => tables.find((table) => table.name === name)!;
export const streamsTable = tableCalled("streams");
export const batchesTable = tableCalled("batches");
