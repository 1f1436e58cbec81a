import { readFileSync } from "node:fs";

const step = (number: number) => readFileSync(new URL(`./migrations/${number}.sql`, import.meta.url), "utf8");

/**
 * Numbered and frozen: a released migration is never edited. `breaks` means that servers of the previous version cannot use the
 * database after it; otherwise they can run beside newer ones. Everything is in the schema `openseat`, which the connection's
 * `search_path` names. Tables that every append writes have no foreign keys: each would look up and lock its stream once more.
 */
export const migrations: readonly { readonly breaks: boolean; readonly sql: string }[] = [
  { breaks: false, sql: step(1) },
  { breaks: false, sql: step(2) },
  {
    // Servers of the previous version do not know the new entries, such as that a place in a queue is away, and would refuse
    // these rooms as damaged.
    breaks: true,
    sql: step(3),
  },
];
