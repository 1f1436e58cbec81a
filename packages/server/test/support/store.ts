// Where the servers of the tests keep what they keep: SQLite, or PostgreSQL when OPENSEAT_TEST_STORE says so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../src/log/log.ts";
import type { Json } from "./http.ts";
import type { FreshDatabase } from "./postgres.ts";

/** The one place that reads it. */
export const isOnPostgres = process.env.OPENSEAT_TEST_STORE === "postgres";

/** For tests that are about the data folder, the disk under it, or its files. */
export const skipOnPostgres = isOnPostgres && "it is about the data folder of SQLite";

/** The nodes go by the clock of PostgreSQL, and are behind it by the time that its answers take. */
export const clockSlackMs = isOnPostgres ? 1_000 : 0;

const databases = new Map<string, Promise<FreshDatabase>>();

/** The database that stands for this folder: the same for every server that is started on it. */
async function databaseOf(folder: string): Promise<string> {
  let database = databases.get(folder);
  if (!database) {
    // Only where it is needed: most tests need no PostgreSQL.
    database = import("./postgres.ts").then(({ freshDatabase }) => freshDatabase());
    databases.set(folder, database);
  }
  return (await database).url;
}

/** With everything in it. */
export async function dropDatabaseOf(folder: string): Promise<void> {
  const database = await databases.get(folder);
  databases.delete(folder);
  await database?.drop();
}

/** The settings that bring a server with this data folder to where the tests keep things. */
export async function storeFlags(folder: string | undefined): Promise<string[]> {
  return isOnPostgres && folder !== undefined ? ["--database-url", await databaseOf(folder)] : [];
}

/** What a server on this folder keeps secret. */
export async function secretsOf(folder: string, name: "secrets" | "signing-keys" = "secrets"): Promise<Json> {
  if (isOnPostgres) return secretsIn(await databaseOf(folder), name);
  return JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
}

/** What the nodes on this database keep secret. */
export async function secretsIn(url: string, name: "secrets" | "signing-keys" = "secrets"): Promise<Json> {
  const [row] = await queried(url, `SELECT content FROM secrets WHERE name = '${name}'`);
  return row.content;
}

/** What plain SQL finds in the tables of a server on this folder, as an operator would ask. */
export async function storedIn(folder: string, sql: string): Promise<Json[]> {
  if (isOnPostgres) return queried(await databaseOf(folder), sql);
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

async function queried(url: string, sql: string): Promise<Json[]> {
  const { default: pg } = await import("pg");
  // Numbers of rows and sums of versions stay far below 2^53.
  const numbers: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];
  const types = {
    getTypeParser: (oid: number) => (numbers.includes(oid) ? Number : pg.types.getTypeParser(oid)),
  } as never;
  const { connectTo } = await import("./postgres.ts");
  const client = await connectTo(url, { options: "-c search_path=openseat", types });
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The log that a server on this folder has written. With SQLite, it must have been stopped. */
export async function openLogOf(folder: string): Promise<Log> {
  if (!isOnPostgres) return (await import("../../src/log/sqlite/sqlite-log.ts")).SqliteLog.open(folder);
  const { PostgresLog } = await import("../../src/log/postgres/postgres-log.ts");
  return PostgresLog.open(await databaseOf(folder), { node: "a test" });
}
