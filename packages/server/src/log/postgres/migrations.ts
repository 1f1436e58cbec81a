import { readFileSync } from "node:fs";

const step = (number: number) => readFileSync(new URL(`./migrations/${number}.sql`, import.meta.url), "utf8");

/**
 * Numbered and frozen: a migration that has been released is never edited. `breaks` says that servers of the version
 * before cannot use the database any more once it has run; without it, they go on beside newer ones. All of it is in
 * the namespace `openseat`, which the connection's `search_path` names.
 *
 * There are no foreign keys on what every append writes: each would look up and lock its stream once more.
 */
export const migrations: readonly { readonly breaks: boolean; readonly sql: string }[] = [
  { breaks: false, sql: step(1) },
  { breaks: false, sql: step(2) },
  {
    // Servers of the version before do not know the entries that are written from now on, such as that a place in a queue is
    // away, and would refuse these rooms as damaged.
    breaks: true,
    sql: step(3),
  },
];
