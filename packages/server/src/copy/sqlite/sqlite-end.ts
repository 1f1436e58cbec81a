import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { FolderSecrets } from "../../config/folder-secrets.ts";
import { FolderTaken, ownFolder } from "../../log/sqlite/owner.ts";
import { CopyRefused, type End, pageLimits } from "../ends.ts";
import type { Row, Table } from "../tables.ts";

/** A data folder at either end of a copy. It is locked during the copy, so no server uses it. */
export abstract class SqliteEnd implements End {
  readonly shown: string;
  readonly secrets: FolderSecrets;
  protected readonly folder: string;
  protected opened: DatabaseSync | undefined;
  readonly #owned: { release(): void };

  protected constructor(folder: string) {
    this.shown = `sqlite:${folder}`;
    this.secrets = new FolderSecrets(folder);
    this.folder = folder;
    this.#owned = take(folder);
  }

  pages(table: Table): AsyncIterable<readonly Row[]> {
    return readRows(this.db, table);
  }

  async lastOutgoing(): Promise<number> {
    const row = this.db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").get();
    return (row?.seq ?? 0) as number;
  }

  async close(): Promise<void> {
    this.opened?.close();
    this.#owned.release();
  }

  protected get db(): DatabaseSync {
    if (!this.opened) throw new Error("The copy has not begun.");
    return this.opened;
  }
}

function take(folder: string): { release(): void } {
  try {
    return ownFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderTaken)) throw error;
    const sentence = `The data folder ${folder} is in use. Please stop the Openseat that runs on it first.`;
    throw new CopyRefused(sentence, { cause: error });
  }
}

async function* readRows(db: DatabaseSync, { name, columns, longColumns, key, only }: Table) {
  const statement = db.prepare(
    `SELECT ${columns.join(", ")} FROM ${name} ${only ? `WHERE ${only}` : ""} ORDER BY ${key.join(", ")}`,
  );
  let page: Row[] = [];
  let characters = 0;
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<Row>) {
    page.push(row);
    for (const column of longColumns) characters += (row[column] as string | Uint8Array | null)?.length ?? 0;
    if (page.length < pageLimits.pageRowsMax && characters < pageLimits.pageCharactersMax) continue;
    yield page;
    // SQLite blocks the event loop: without a pause, Ctrl-C would go unnoticed.
    await setImmediate();
    page = [];
    characters = 0;
  }
  if (page.length > 0) yield page;
}

/** SQLite's error code SQLITE_NOTADB. */
const notDatabase = 26;

/** The schema number of an openseat.db, or what else the file is. */
export function schemaOf(db: DatabaseSync): number | "empty" | "foreign" {
  try {
    const { user_version: schema } = db.prepare("PRAGMA user_version").get() as { user_version: number };
    if (schema > 0) return schema;
    return db.prepare("SELECT 1 FROM sqlite_schema").get() ? "foreign" : "empty";
  } catch (error) {
    if ((error as { errcode?: number }).errcode === notDatabase) return "foreign";
    throw error;
  }
}
