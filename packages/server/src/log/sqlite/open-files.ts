import { statSync } from "node:fs";
import { join } from "node:path";

/** LG10: the files of the data folder are not the ones that the log has open. */
class FolderLost extends Error {
  override readonly name = "FolderLost";
}

const names = ["openseat.db", "openseat.db-wal", "openseat.db-shm", "owner.lock"];

/**
 * The files that the log has open, as they were when it opened them. SQLite goes on writing to a file that was removed, and reports
 * no error: what is acknowledged then is gone after the next start.
 */
export class OpenFiles {
  readonly #found: readonly { readonly name: string; readonly path: string; readonly id: string }[];

  constructor(folder: string) {
    this.#found = names.map((name) => {
      const path = join(folder, name);
      return { name, path, id: idOf(path) };
    });
  }

  assertInPlace(): void {
    for (const { name, path, id } of this.#found) {
      if (idOf(path) === id) continue;
      throw new FolderLost(
        `the data folder was removed or replaced while the server was running (${name}). Stop the server, restore the folder, and start it again`,
      );
    }
  }
}

function idOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : "";
}
