import { readFileSync } from "node:fs";

const sqlIn = (file: URL) => readFileSync(file, "utf8");

/**
 * Numbered and frozen: a released migration is never edited. `breaks` means that servers of the previous version cannot use the
 * database after it; otherwise they can run beside newer ones. Everything is in the schema `openseat`, which the connection's
 * `search_path` names. Tables that every append writes have no foreign keys: each would look up and lock its stream once more.
 */
export const migrations: readonly { readonly breaks: boolean; readonly sql: string }[] = [
  { breaks: false, sql: sqlIn(new URL("./migrations/1.sql", import.meta.url)) },
  { breaks: false, sql: sqlIn(new URL("./migrations/2.sql", import.meta.url)) },
  {
    // Servers of the previous version do not know the new entries, such as that a place in a queue is away, and would refuse
    // these rooms as damaged.
    breaks: true,
    sql: sqlIn(new URL("./migrations/3.sql", import.meta.url)),
  },
];
