import { firstHash, nextHash } from "../log/entry.ts";
import type { Totals } from "./ends.ts";
import type { Row } from "./tables.ts";

/** Entries do not match the hashes of their stream. */
export class ChainBroken extends Error {
  override readonly name = "ChainBroken";
}

/** The row of a stream, and how far its entries have been checked. */
interface Followed {
  readonly stream: Row;
  version: number;
  hash: string;
}

/**
 * Computes the hash chain of every stream from its entries, and compares it after each batch and with the stream's head.
 * Streams and batches are in the same order, so only one stream is in memory.
 */
export class Chains {
  readonly #streams: AsyncIterator<Row>;
  #followed: Followed | undefined;
  readonly #seen = { streams: 0, entries: 0, bytes: 0 };

  constructor(pages: AsyncIterable<readonly Row[]>) {
    this.#streams = each(pages);
  }

  get seen(): Totals {
    return this.#seen;
  }

  async follow(batches: readonly Row[]): Promise<void> {
    for (const batch of batches) {
      const stream = batch.stream as number;
      if (this.#followed?.stream.number !== stream) await this.#beginNext(stream);
      extend(this.#followed!, batch);
      this.#seen.entries += batch.count as number;
      this.#seen.bytes += Buffer.byteLength(batch.lines as string);
    }
  }

  /** Call it after the last batch. */
  async end(): Promise<void> {
    await this.#beginNext(undefined);
  }

  async #beginNext(stream: number | undefined): Promise<void> {
    if (this.#followed) assertAtHead(this.#followed);
    const { value: row } = await this.#streams.next();
    if (row && (stream === undefined || (row.number as number) < stream)) assertAtHead(followedFrom(row));
    if (row?.number !== stream) throw new ChainBroken(`There are entries of a missing stream ${stream}.`);
    this.#followed = row && followedFrom(row);
    if (row) this.#seen.streams++;
  }
}

async function* each(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<Row, undefined> {
  for await (const rows of pages) yield* rows;
  return undefined;
}

function followedFrom(stream: Row): Followed {
  return { stream, version: 0, hash: firstHash(stream.name as string) };
}

function extend(followed: Followed, batch: Row): void {
  const [first, count] = [batch.first as number, batch.count as number];
  if (first !== followed.version + 1)
    throw new ChainBroken(
      `In ${followed.stream.name}, entry ${followed.version + 1} is missing: the next batch begins with ${first}.`,
    );
  const lines = (batch.lines as string).split("\n");
  for (const line of lines) followed.hash = nextHash(followed.hash, line);
  followed.version += lines.length;
  if (lines.length !== count || followed.hash !== batch.hash)
    throw new ChainBroken(
      `In ${followed.stream.name}, entries ${first} to ${first + count - 1} do not match their stored hash.`,
    );
}

function assertAtHead({ stream, version, hash }: Followed): void {
  if (version !== stream.version || hash !== stream.hash)
    throw new ChainBroken(
      `${stream.name} has entries up to ${version}, which do not match its head (entry ${stream.version}).`,
    );
}
