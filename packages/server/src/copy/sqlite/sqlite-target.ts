import { chownSync, closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { headFile, headOf, markHeaded, openToRead, writeHead } from "../../log/sqlite/head-file.ts";
import { migrations, unfinishedSchema } from "../../log/sqlite/migrations.ts";
import { keepPrivate } from "../../log/sqlite/private-file.ts";
import { CopyRefused, orClose, type Target } from "../ends.ts";
import type { Row, Table } from "../tables.ts";
import { SqliteEnd, schemaOf } from "./sqlite-end.ts";

const secretFiles = ["secrets.json", "signing-keys.json"];
const databaseFiles = [headFile, "openseat.db-wal", "openseat.db-shm", "openseat.db-journal", "openseat.db"];

export class SqliteTarget extends SqliteEnd implements Target {
  readonly #path: string;

  private constructor(folder: string) {
    super(folder);
    this.#path = join(folder, "openseat.db");
  }

  static open(folder: string): Promise<SqliteTarget> {
    const target = new SqliteTarget(folder);
    return orClose(target, () => assertFree(folder));
  }

  async begin(): Promise<void> {
    // Delete the marked file last: without it, the other files would look like another server's.
    for (const file of [...secretFiles, ...databaseFiles]) rmSync(join(this.folder, file), { force: true });
    keepPrivate(this.#path);
    const db = new DatabaseSync(this.#path);
    this.opened = db;
    // Write the mark first, flushed, and into the database file itself.
    db.exec(`PRAGMA synchronous = FULL; PRAGMA user_version = ${unfinishedSchema}`);
    // After a crash the copy starts over, so only the end must be flushed.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 16000");
    db.exec(migrations.map(({ sql }) => sql).join("\n"));
  }

  async write({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const insert = this.db.prepare(
      `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    this.db.exec("BEGIN");
    for (const row of rows) insert.run(...columns.map((column) => row[column]));
    this.db.exec("COMMIT");
  }

  /** Streams need nothing: SQLite numbers them after the highest. */
  async continueAfter(lastNumber: number): Promise<void> {
    if (lastNumber === 0) return;
    this.db.prepare("DELETE FROM sqlite_sequence WHERE name = 'outbox'").run();
    this.db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox', ?)").run(lastNumber);
  }

  async finish(): Promise<void> {
    const head = headOf(this.db);
    this.db.close();
    // Flush only while the database is closed: closing the file would release SQLite's locks.
    flush(this.#path);
    await writeHead(this.folder, head);
    giveToOwner(this.folder);
    const db = new DatabaseSync(this.#path);
    this.opened = db;
    db.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
    markHeaded(db);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
  }
}

function flush(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

/** Root may copy for a server that runs as another user. */
function giveToOwner(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  for (const file of ["openseat.db", headFile, "owner.lock", "owner.pid"])
    chownSync(join(folder, file), uid, gid);
}

function assertFree(folder: string): void {
  const path = join(folder, "openseat.db");
  if (existsSync(path)) {
    // An ordinary connection would delete the rest of a damaged write-ahead log on close.
    const db = openToRead(path);
    const schema = schemaOf(db);
    db.close();
    if (schema === unfinishedSchema) return;
    if (schema !== "empty")
      throw new CopyRefused(`There is a log in ${folder} already. Please name a folder without one.`);
  }
  const found = secretFiles.find((file) => existsSync(join(folder, file)));
  if (found)
    throw new CopyRefused(
      `${join(folder, found)} belongs to another server, whose tokens would be void. Please name another folder.`,
    );
}
