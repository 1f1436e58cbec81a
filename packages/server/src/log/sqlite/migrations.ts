import { readFileSync } from "node:fs";

/** Numbered and frozen: a released migration is never edited. */
export const migrations = [
  new URL("./migrations/1.sql", import.meta.url),
  new URL("./migrations/2.sql", import.meta.url),
  new URL("./migrations/3.sql", import.meta.url),
  new URL("./migrations/4.sql", import.meta.url),
  new URL("./migrations/5.sql", import.meta.url),
].map((file) => ({ sql: readFileSync(file, "utf8") }));

/** Schema number of a data folder during a copy, so that no server starts on an unfinished log. */
export const unfinishedSchema = 2_147_483_647;
