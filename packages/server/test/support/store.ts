// Where the tests' servers store data: SQLite, or PostgreSQL if OPENSEAT_TEST_STORE says so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../src/log/log.ts";
import type { Json } from "./http.ts";
import type { FreshDatabase } from "./postgres.ts";

/** The only place that reads it. */
export const isOnPostgres = process.env.OPENSEAT_TEST_STORE === "postgres";

/** For tests of the data folder, its disk or its files. */
export const skipOnPostgres = isOnPostgres && "it is about the data folder of SQLite";

/** Nodes follow PostgreSQL's clock, and are behind it by the latency of its answers. */
export const clockSlackMs = isOnPostgres ? 1_000 : 0;

const databases = new Map<string, Promise<FreshDatabase>>();

/** The database that replaces this folder: the same for every server that starts on it. */
async function databaseOf(folder: string): Promise<string> {
  let database = databases.get(folder);
  if (!database) {
    // Load it on demand: most tests need no PostgreSQL.
    database = import("./postgres.ts").then(({ freshDatabase }) => freshDatabase());
    databases.set(folder, database);
  }
  return (await database).url;
}

/** Deletes it with its contents. */
export async function dropDatabaseOf(folder: string): Promise<void> {
  const database = await databases.get(folder);
  databases.delete(folder);
  await database?.drop();
}

/** The settings for a server with this data folder in the chosen store. */
export async function storeFlags(folder: string | undefined): Promise<string[]> {
  return isOnPostgres && folder !== undefined ? ["--database-url", await databaseOf(folder)] : [];
}

/** The secrets of a server on this folder. */
export async function secretsOf(folder: string, name: "secrets" | "signing-keys" = "secrets"): Promise<Json> {
  if (isOnPostgres) return secretsIn(await databaseOf(folder), name);
  return JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
}

/** The secrets of the nodes on this database. */
export async function secretsIn(url: string, name: "secrets" | "signing-keys" = "secrets"): Promise<Json> {
  const [row] = await queried(url, `SELECT content FROM secrets WHERE name = '${name}'`);
  return row.content;
}

/** Queries the tables of a server on this folder with SQL, like an operator. */
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
  // Row numbers and sums of versions stay far below 2^53.
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
