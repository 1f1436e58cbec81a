import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findLoss, lossAdvice } from "../../log/sqlite/head-file.ts";
import { migrations, unfinishedSchema } from "../../log/sqlite/migrations.ts";
import { CopyRefused, orClose, type Source, type Totals } from "../ends.ts";
import { SqliteEnd, schemaOf } from "./sqlite-end.ts";

export class SqliteSource extends SqliteEnd implements Source {
  static open(folder: string): Promise<SqliteSource> {
    // Check before locking: a lock would leave files in a folder that belongs to something else.
    if (!existsSync(join(folder, "openseat.db")))
      throw new CopyRefused(
        `There is no log in ${folder}: a data folder of Openseat has a file openseat.db.`,
      );
    const source = new SqliteSource(folder);
    return orClose(source, () => source.#begin());
  }

  #begin(): void {
    // Check before opening: opening alone changes a damaged write-ahead log.
    const loss = findLoss(this.folder);
    if (loss !== undefined) throw new CopyRefused(`${loss} ${lossAdvice}`);
    this.opened = new DatabaseSync(join(this.folder, "openseat.db"), { timeout: 5_000 });
    beginReading(this.db, this.folder);
  }

  async totals(): Promise<Totals> {
    const row = this.db
      .prepare(
        `SELECT count(*) AS streams, coalesce(sum(version), 0) AS entries,
           (SELECT coalesce(sum(octet_length(lines)), 0) FROM batches) AS bytes FROM streams`,
      )
      .get();
    return { ...row } as unknown as Totals;
  }
}

/** Migrates an older log in a transaction that is never committed: a copy does not change its source. */
function beginReading(db: DatabaseSync, folder: string): void {
  const schema = schemaOf(db);
  if (typeof schema !== "number")
    throw new CopyRefused(`${join(folder, "openseat.db")} is not a log of Openseat's.`);
  if (schema === unfinishedSchema)
    throw new CopyRefused(`The log in ${folder} is itself a copy that was never finished.`);
  if (schema > migrations.length)
    throw new CopyRefused(
      `The log in ${folder} was written by a newer Openseat (schema ${schema}; this one knows ${migrations.length}). Please copy it with that version or a later one.`,
    );
  db.exec("BEGIN IMMEDIATE");
  for (const { sql } of migrations.slice(schema)) db.exec(sql);
}
