import { createHash } from "node:crypto";
import {
  type ImportRow,
  type LadderCommand,
  ladderNotFound,
  type Millis,
  mayManage,
  notTheirLadder,
  type Refusal,
} from "@openseat/kernel";
import { importView } from "../../feed/ladder-views.ts";
import type { Identity } from "../auth/identity.ts";
import { type Answer, failure, success } from "../envelope.ts";
import { importRows, rowsFromCsv, rowsFromJson } from "./import-rows.ts";
import { askerOf, type LadderStreams } from "./ladders.ts";

/** Past matches from a file: in its order, once, and going on by themselves after a crash. */
export class LadderImports {
  readonly #streams: LadderStreams;
  readonly #now: () => Millis;

  constructor(streams: LadderStreams, now: () => Millis) {
    this.#streams = streams;
    this.#now = now;
  }

  /** Why the one who asks may not import here: known before a file is taken in, which may be large. */
  async obstacle(identity: Identity, id: string): Promise<Refusal | undefined> {
    const found = await this.#streams.read(id, (ladder) => {
      if (!ladder) return ladderNotFound;
      return mayManage(ladder, askerOf(identity)) ? undefined : notTheirLadder("import matches");
    });
    return "refusal" in found ? found.refusal : found.value;
  }

  /** `file` is CSV as text, or the matches of a JSON body. */
  async begin(
    identity: Identity,
    id: string,
    file: string | readonly unknown[],
    key?: string,
  ): Promise<Answer> {
    const read = typeof file === "string" ? rowsFromCsv(file) : { rows: rowsFromJson(file) };
    if ("refusal" in read) return failure(read.refusal);
    const checked = importRows(read.rows, this.#now());
    if ("refusal" in checked) return failure(checked.refusal);
    const { rows } = checked;
    const digest = digestOf(rows);
    const command: LadderCommand = { type: "import", digest, rows, asker: askerOf(identity) };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    if ("refusal" in outcome) {
      const isKnown = outcome.refusal.code === "import.exists";
      return isKnown
        ? this.#progress(id, digest, "This file was imported before.")
        : failure(outcome.refusal);
    }
    // As it was then, also when the key is repeated.
    const { at } = outcome.entry;
    const begun = importView(digest, { rows: rows.length, done: 0, begunAt: at, at });
    const what = rows.length === 1 ? "1 match is" : `${rows.length} matches are`;
    return success(202, `${what} being counted.`, { import: begun }, outcome.replayed);
  }

  progress(id: string, digest: string): Promise<Answer> {
    return this.#progress(id, digest, "How far it is.");
  }

  async #progress(id: string, digest: string, text: string): Promise<Answer> {
    const found = await this.#streams.read(id, (ladder) => {
      if (!ladder) return failure(ladderNotFound);
      const progress = ladder.imports.get(digest);
      return progress
        ? success(200, text, { import: importView(digest, progress) })
        : failure(importNotFound);
    });
    return "refusal" in found ? failure(found.refusal) : found.value;
  }
}

const importNotFound: Refusal = {
  code: "import.not-found",
  message: "There is no such import on this ladder.",
};

/** The same rows are the same import, whichever file they came in. */
function digestOf(rows: readonly ImportRow[]): string {
  const digest = createHash("sha256");
  for (const { players, scores, at } of rows)
    digest.update(`${players.join(" ")} ${scores.join(" ")} ${at}\n`);
  return digest.digest("hex").slice(0, 32);
}
