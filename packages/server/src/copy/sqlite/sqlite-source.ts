import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FolderSecrets } from "../../config/folder-secrets.ts";
import { findLoss, lossAdvice } from "../../log/sqlite/head-file.ts";
import { migrations, unfinishedSchema } from "../../log/sqlite/migrations.ts";
import { CopyRefused, type Source, type Totals } from "../ends.ts";
import type { Row, Table } from "../tables.ts";
import { lastOutgoing, readRows, schemaOf, take } from "./sqlite-end.ts";

/** The log of a data folder. The folder is owned meanwhile, so no server writes to it. */
export class SqliteSource implements Source {
  readonly shown: string;
  readonly secrets: FolderSecrets;
  readonly #db: DatabaseSync;
  readonly #owned: { release(): void };

  private constructor(folder: string, db: DatabaseSync, owned: { release(): void }) {
    this.shown = `sqlite:${folder}`;
    this.secrets = new FolderSecrets(folder);
    this.#db = db;
    this.#owned = owned;
  }

  static open(folder: string): SqliteSource {
    const path = join(folder, "openseat.db");
    // Before it is owned: that would leave files in a folder that is none of ours.
    if (!existsSync(path))
      throw new CopyRefused(
        `There is no log in ${folder}: a data folder of Openseat has a file openseat.db.`,
      );
    const owned = take(folder);
    let db: DatabaseSync | undefined;
    try {
      // Before it is opened: that alone changes a damaged write-ahead log.
      const loss = findLoss(folder);
      if (loss !== undefined) throw new CopyRefused(`${loss} ${lossAdvice}`);
      db = new DatabaseSync(path, { timeout: 5_000 });
      beginReading(db, folder);
      return new SqliteSource(folder, db, owned);
    } catch (error) {
      db?.close();
      owned.release();
      throw error;
    }
  }

  async totals(): Promise<Totals> {
    const row = this.#db
      .prepare(
        `SELECT count(*) AS streams, coalesce(sum(version), 0) AS entries,
           (SELECT coalesce(sum(octet_length(lines)), 0) FROM batches) AS bytes FROM streams`,
      )
      .get();
    return { ...row } as unknown as Totals;
  }

  pages(table: Table): AsyncIterable<readonly Row[]> {
    return readRows(this.#db, table);
  }

  async lastOutgoing(): Promise<number> {
    return lastOutgoing(this.#db);
  }

  async close(): Promise<void> {
    this.#db.close();
    this.#owned.release();
  }
}

/** An older log is brought up to date in a transaction that is never committed: copying changes nothing in its source. */
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
