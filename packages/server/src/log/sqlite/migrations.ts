import { readFileSync } from "node:fs";

const step = (number: number) => readFileSync(new URL(`./migrations/${number}.sql`, import.meta.url), "utf8");

/**
 * Numbered and frozen: a migration that has been released is never edited. `breaks` says that servers of the
 * version before cannot use the store any more once it has run.
 */
export const migrations: readonly { readonly breaks: boolean; readonly sql: string }[] = [
  { breaks: false, sql: step(1) },
  { breaks: false, sql: step(2) },
  { breaks: false, sql: step(3) },
  { breaks: false, sql: step(4) },
  { breaks: false, sql: step(5) },
];

/** What a data folder says that it has while a copy is being written into it: so no server, of whichever version, starts on half a log. */
export const unfinishedSchema = 2_147_483_647;
