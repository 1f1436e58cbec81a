import {
  type ImportRow,
  type Ladder,
  type LadderCommand,
  ladderLimits,
  ladderNotFound,
  mayManage,
  notTheirLadder,
  type Refusal,
} from "@openseat/kernel";
import type { LadderImport } from "@openseat/protocol";
import type { Clock } from "../../clock.ts";
import type { TimeSlices } from "../../scheduling/time-slices.ts";
import { TokenBuckets } from "../../token-buckets.ts";
import { importView } from "../../views/ladder-views.ts";
import type { Identity } from "../identity.ts";
import { type AsyncResult, answered, mapped, type Result, refused } from "../result.ts";
import { readRoom } from "../rooms/rooms.ts";
import { ImportReader } from "./import/import-reader.ts";
import type { ImportChunks, ImportFile } from "./import/import-worker.ts";
import { askerOf, type LadderStreams } from "./ladders.ts";

/** Per person; services and operators have no limit. */
const importsPerHourMax = 10;
/** The maximum for a person's file. Its rows become one entry, which is written on the main thread. */
const personRowsMax = 20_000;

/** Counting this many rows costs about as much as one write. */
const rowsPerWrite = 4;

/** `isNew` is false when the same file was sent before. */
export interface BegunImport extends LadderImport {
  readonly isNew: boolean;
}

/** Takes the cost from a budget, or says why not. */
export type ChargeRows = (cost: number) => Refusal | undefined;

interface ImportDeps {
  readonly streams: LadderStreams;
  readonly clock: Clock;
  readonly slices: TimeSlices;
}

/** Imports past matches from files: in file order, exactly once, and resumed after a crash. */
export class LadderImports {
  readonly #deps: ImportDeps;
  /** Separate readers, so that files from people do not delay those of services and operators. */
  readonly #readers: Readonly<Record<"persons" | "others", ImportReader>>;
  readonly #perPerson: TokenBuckets;

  constructor(deps: ImportDeps) {
    this.#deps = deps;
    this.#readers = { persons: new ImportReader(deps.clock), others: new ImportReader(deps.clock) };
    const terms = { perMinute: importsPerHourMax / 60, burst: importsPerHourMax };
    this.#perPerson = new TokenBuckets(terms, () => deps.clock.now());
  }

  /** Why this person may not import here, or not now. Call it once per file, before reading the body. */
  async obstacle(identity: Identity, id: string): Promise<Refusal | undefined> {
    const found = await this.#read(id, (ladder) =>
      mayManage(ladder, askerOf(identity)) ? { value: undefined } : refused(notTheirLadder("import matches")),
    );
    if ("refusal" in found) return found.refusal;
    if (identity.role !== "person") return undefined;
    const waitSeconds = this.#perPerson.take(identity.by);
    return waitSeconds > 0 ? tooManyImports(waitSeconds) : undefined;
  }

  /** `charge` takes the cost of the rows before they are counted. A file that was sent before returns its progress. */
  async begin(
    identity: Identity,
    id: string,
    { type, bytes }: Pick<ImportFile, "type" | "bytes">,
    { key, charge }: { readonly key?: string | undefined; readonly charge: ChargeRows },
  ): AsyncResult<BegunImport> {
    const isPerson = identity.role === "person";
    const rowsMax = isPerson ? personRowsMax : ladderLimits.importRowsMax;
    const reader = this.#readers[isPerson ? "persons" : "others"];
    const read = await reader.read({ type, bytes, rowsMax, now: this.#deps.clock.now() });
    if ("refusal" in read) return read;
    const { digest } = read;
    const rows = await this.#rowsOf(read, isPerson);
    // A file that was sent before is not counted again.
    const isKnown = "value" in (await this.progress(id, digest));
    const tooMuch = isKnown ? undefined : charge(Math.ceil(rows.length / rowsPerWrite));
    if (tooMuch) {
      // This file does not count against the files per hour.
      this.#perPerson.refund(identity.by);
      return refused(tooMuch);
    }
    const command: LadderCommand = { type: "import", digest, rows, asker: askerOf(identity) };
    const outcome = await this.#deps.streams.ask(id, { command, by: identity.by, key });
    if ("refusal" in outcome && outcome.refusal.code === "import.exists")
      return mapped(await this.progress(id, digest), (progress) => ({ ...progress, isNew: false }));
    // As it was when the import began, also for a repeated key.
    return answered(outcome, ({ entry: { at } }) => ({
      import: importView(digest, { rows: rows.length, done: 0, begunAt: at, at }),
      isNew: true,
    }));
  }

  /** Chunk by chunk: parsing a large file at once would block other requests. */
  async #rowsOf({ chunks }: ImportChunks, isPerson: boolean): Promise<ImportRow[]> {
    const decoder = new TextDecoder();
    const { slices, clock } = this.#deps;
    const rows: ImportRow[] = [];
    for (const chunk of chunks) {
      const parse = () => JSON.parse(decoder.decode(chunk)) as ImportRow[];
      // Yield, so that services do not queue behind people's exports and replays.
      if (!isPerson) await new Promise<void>((resolve) => clock.soon(resolve));
      rows.push(...(isPerson ? await slices.run(parse) : parse()));
    }
    return rows;
  }

  close(): void {
    for (const reader of Object.values(this.#readers)) reader.close();
  }

  progress(id: string, digest: string): AsyncResult<LadderImport> {
    return this.#read(id, ({ imports }) => {
      const progress = imports.get(digest);
      return progress ? { value: { import: importView(digest, progress) } } : refused(importNotFound);
    });
  }

  #read<Value>(id: string, select: (ladder: Ladder) => Result<Value>): AsyncResult<Value> {
    return readRoom(this.#deps.streams, id, ladderNotFound, select);
  }
}

const importNotFound: Refusal = {
  code: "import.not-found",
  message: "There is no such import on this ladder.",
};

function tooManyImports(retryAfterSeconds: number): Refusal {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const message = `You can import ${importsPerHourMax} files per hour. Please try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
  return { code: "limit.person", message, retryable: true, retryAfterSeconds };
}
