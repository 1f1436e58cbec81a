import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findLoss, lossAdvice } from "./head-file.ts";
import { keepPrivate, tighten } from "./private-file.ts";

/** LG6: another process owns the data folder. */
export class FolderTaken extends Error {
  override readonly name = "FolderTaken";
}

/** Held by an open SQLite transaction, that is, by an operating system lock: a crash releases it. */
export function ownFolder(folder: string, acceptsLoss = false): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pidFile = join(folder, "owner.pid");
  const lockFile = join(folder, "owner.lock");
  if (!existsSync(lockFile)) {
    // Check first: the connection that tests whether the database is open deletes a damaged write-ahead log on close.
    if (!acceptsLoss) assertNoLoss(folder);
    assertNotOpen(folder);
  }
  keepPrivate(lockFile);
  const lock = new DatabaseSync(lockFile);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    if (!isLocked(cause)) throw cause;
    throw new FolderTaken(
      `The data folder ${folder} is in use by another Openseat${ownerOf(pidFile)}. Stop that one first, or choose another folder with --data.`,
      { cause },
    );
  }
  tighten(pidFile);
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return { release: () => lock.close() };
}

function assertNoLoss(folder: string): void {
  const loss = findLoss(folder);
  if (loss !== undefined) throw new Error(`${loss} ${lossAdvice}`);
}

/** Somebody may have deleted the lock file while its owner runs. The database is still open then. */
function assertNotOpen(folder: string): void {
  const path = join(folder, "openseat.db");
  if (!existsSync(path)) return;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path);
    db.exec("PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema");
  } catch (cause) {
    // Other failures are reported when the store is opened.
    if (!isLocked(cause)) return;
    throw new FolderTaken(
      `The data folder ${folder} has lost its lock file (owner.lock), and another process has its openseat.db open, probably an Openseat that still runs. Stop that one first.`,
      { cause },
    );
  } finally {
    db?.close();
  }
}

/** SQLite's error code SQLITE_BUSY. */
function isLocked(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5;
}

function ownerOf(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, "utf8").trim()})`;
  } catch {
    return "";
  }
}
