import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keepPrivate, tighten } from "./private-file.ts";

/** LG6: another process owns the data folder. */
export class FolderTaken extends Error {
  override readonly name = "FolderTaken";
}

/**
 * Takes the folder for this process until `release` or the end of the process, however it ends: the lock is the
 * operating system's, held through an open SQLite transaction, so a crash leaves nothing behind to be cleaned up.
 */
export function ownFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pidFile = join(folder, "owner.pid");
  const lockFile = join(folder, "owner.lock");
  keepPrivate(lockFile);
  const lock = new DatabaseSync(lockFile);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    if ((cause as { errcode?: number }).errcode !== 5) throw cause;
    throw new FolderTaken(
      `The data folder ${folder} is in use by another Openseat${ownerOf(pidFile)}. Stop that one first, or give this one a folder of its own with --data.`,
      { cause },
    );
  }
  tighten(pidFile);
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return { release: () => lock.close() };
}

function ownerOf(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, "utf8").trim()})`;
  } catch {
    return "";
  }
}
