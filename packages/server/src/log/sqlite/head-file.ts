import { existsSync, readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrations } from "./migrations.ts";

/** How far a log has advanced: everything up to its newest batch. */
export interface LogHead {
  readonly streams: number;
  /** Batch numbers increase by one, across all streams. */
  readonly batch: number;
  readonly hash: string;
}

export const headFile = "head.json";
const format = 1;

/** Marks a database that has a head file beside it. The bytes spell "Seat". */
const headMark = 0x53656174;

/** SQLite's error code SQLITE_NOTADB. */
const notDatabase = 26;
/** SQLite's error code SQLITE_READONLY_ROLLBACK. */
const needsRollback = 776;

const emptyHead: LogHead = { streams: 0, batch: 0, hash: "" };

export function headOf(db: DatabaseSync): LogHead {
  const newest = db
    .prepare(
      "SELECT (SELECT max(number) FROM streams) AS streams, id AS batch, hash FROM batches ORDER BY id DESC LIMIT 1",
    )
    .get() as LogHead | undefined;
  return newest ? { ...newest } : emptyHead;
}

/** LG8: `head` must already be durable. A crash leaves either the old file or the new one. */
export async function writeHead(folder: string, head: LogHead): Promise<void> {
  const path = join(folder, headFile);
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ format, ...head }, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(folder);
}

/** Without this, a power loss could undo the rename. Windows cannot open folders and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Marks the database as having a head file, so that a copy of openseat.db without its write-ahead log is noticed. */
export function markHeaded(db: DatabaseSync): void {
  if (isMarked(db)) return;
  db.exec(`PRAGMA application_id = ${headMark}; PRAGMA wal_checkpoint`);
}

/**
 * Opens a database that may be damaged or unfinished. A rollback journal exists only after a crash during the first start, and
 * cannot be rolled back read-only: without this, such a server could never start again.
 */
export function openToRead(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    numberOf(db, "user_version");
    return db;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== needsRollback) return db;
  }
  db.close();
  const repairing = new DatabaseSync(path, { timeout: 5_000 });
  numberOf(repairing, "user_version");
  repairing.close();
  return new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
}

function isMarked(db: DatabaseSync): boolean {
  return numberOf(db, "application_id") === headMark;
}

function numberOf(db: DatabaseSync, pragma: "application_id" | "user_version"): number {
  return db.prepare(`PRAGMA ${pragma}`).get()![pragma] as number;
}

export const lossAdvice =
  "Put back the openseat.db-wal that belongs to it, or restore the whole folder from a backup. To continue without the missing changes, start once with --accept-lost-changes.";

/**
 * LG8: describes what the log lacks, in a sentence. Read-only, because an ordinary close would delete a damaged write-ahead
 * log.
 */
export function findLoss(folder: string): string | undefined {
  const head = readHead(folder);
  const path = join(folder, "openseat.db");
  if (!existsSync(path)) {
    if (head === "absent") return undefined;
    return `The data folder ${folder} has a ${headFile} and no openseat.db: its log is missing.`;
  }
  const db = openToRead(path);
  try {
    // A newer schema, an unfinished copy and a foreign file are refused elsewhere.
    if (numberOf(db, "user_version") > migrations.length) return undefined;
    if (head === "absent" && !isMarked(db)) return undefined;
    if (head === "absent" || head === "unreadable") return unknownLoss(folder, head);
    return lossBetween(folder, head, db);
  } catch (error) {
    if ((error as { errcode?: number }).errcode === notDatabase) return undefined;
    throw error;
  } finally {
    db.close();
  }
}

/** `unreadable` includes an empty file: the server never leaves one, so something else has written to the folder. */
function readHead(folder: string): LogHead | "absent" | "unreadable" {
  try {
    const head = JSON.parse(readFileSync(join(folder, headFile), "utf8"));
    const isHead =
      head?.format === format &&
      Number.isSafeInteger(head.streams) &&
      Number.isSafeInteger(head.batch) &&
      typeof head.hash === "string";
    return isHead ? head : "unreadable";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "absent";
    if (error instanceof SyntaxError) return "unreadable";
    throw error;
  }
}

function unknownLoss(folder: string, head: "absent" | "unreadable"): string {
  const what = head === "absent" ? "is missing" : "is not as the server wrote it";
  return `The file ${headFile} in the data folder ${folder} ${what}. Without it the server cannot verify that the log is complete, so acknowledged changes may be missing.`;
}

function lossBetween(folder: string, head: LogHead, db: DatabaseSync): string | undefined {
  const isEmpty = numberOf(db, "user_version") === 0;
  const found = isEmpty ? emptyHead : headOf(db);
  if (found.batch < head.batch) {
    const missing = (head.batch - found.batch).toLocaleString("en");
    return `The log in the data folder ${folder} went back: at least ${missing} of ${head.batch.toLocaleString("en")} acknowledged changes are missing. It ends at batch ${found.batch}, and ${headFile} says that batch ${head.batch} was stored.`;
  }
  if (found.streams < head.streams) {
    return `The log in the data folder ${folder} lacks rooms: it has ${found.streams}, and ${headFile} says that there were ${head.streams}.`;
  }
  if (head.batch === 0) return undefined;
  const stored = db.prepare("SELECT hash FROM batches WHERE id = ?").get(head.batch);
  if (stored?.hash === head.hash) return undefined;
  return `The log in the data folder ${folder} is not the one that its ${headFile} was written for: batch ${head.batch} has another hash. Acknowledged changes may be missing.`;
}
