import { join } from "node:path";
import type { Log } from "../../src/log/log.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { tempFolder } from "../support/folder.ts";
import { freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";

/** A place for a log. */
export interface Place {
  /** The argument for `openseat copy`. */
  readonly address: string;
  /** The flags for a server. */
  readonly flags: readonly string[];
  /** Opens the log like a starting server. */
  open(): Promise<Log>;
  remove(): Promise<void> | void;
}

/** A data folder that does not exist yet. */
async function newFolder(): Promise<Place> {
  const { path, remove } = tempFolder();
  const folder = join(path, "data");
  const open = () => SqliteLog.open(folder);
  return { address: `sqlite:${folder}`, flags: ["--data", folder], open, remove };
}

async function newDatabase(): Promise<Place> {
  const { url, drop: remove } = await freshDatabase();
  const open = () => PostgresLog.open(url, { node: "a test" });
  return { address: url, flags: ["--database-url", url], open, remove };
}

/** Both kinds, each empty. */
export const kinds = { SQLite: newFolder, PostgreSQL: newDatabase } as const;

/** Why a test of this kind cannot run here, or undefined if it can. */
export function missingFor(kind: string): string | undefined {
  return kind === "PostgreSQL" ? missingPostgres : undefined;
}
