import { readFileSync } from "node:fs";

/** Numbered and frozen: a released migration is never edited. */
export const migrations = [1, 2, 3, 4, 5].map((number) => ({
  sql: readFileSync(new URL(`./migrations/${number}.sql`, import.meta.url), "utf8"),
}));

/** Schema number of a data folder during a copy, so that no server starts on an unfinished log. */
export const unfinishedSchema = 2_147_483_647;
