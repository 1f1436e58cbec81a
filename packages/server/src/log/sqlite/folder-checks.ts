import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";

/** LG11: the files in the data folder are not the ones that the log has open. */
class FolderLost extends Error {
  override readonly name = "FolderLost";
}

interface OpenFile {
  readonly name: string;
  readonly path: string;
  readonly id: string;
}

/** SQLite keeps writing to a deleted file without an error. Anything acknowledged then would be lost at the next start. */
export class OpenFiles {
  readonly #database: OpenFile;
  readonly #others: readonly OpenFile[];

  constructor(folder: string) {
    const found = (name: string): OpenFile => {
      const path = join(folder, name);
      return { name, path, id: idOf(path) };
    };
    this.#database = found("openseat.db");
    this.#others = ["openseat.db-wal", "openseat.db-shm", "owner.lock"].map(found);
  }

  /** Runs with every commit, so it checks one file only: if the folder is deleted or replaced, so is the database. */
  assertDatabase(): void {
    assertInPlace(this.#database);
  }

  assertAll(): void {
    this.assertDatabase();
    for (const file of this.#others) assertInPlace(file);
  }
}

function assertInPlace({ name, path, id }: OpenFile): void {
  if (idOf(path) === id) return;
  throw new FolderLost(
    `the data folder was removed or replaced while the server was running (${name}). Stop the server, restore the folder, and start it again`,
  );
}

function idOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : "";
}

/** SQLite's error code SQLITE_FULL. */
const fullCode = 13;
/** With less free space, the next commits would probably fail again. */
const freeBytesMin = 1 << 20;

class DiskFull extends Error {
  override readonly name = "DiskFull";
}

export function isDiskFull(error: Error & { readonly errcode?: number }): boolean {
  return error.errcode === fullCode;
}

export function assertSpace(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < freeBytesMin) throw new DiskFull("database or disk is full");
}
