import type { Decider, Millis } from "@openseat/kernel";
import type { Entry } from "../../log/entry.ts";
import { type Head, LogUnavailable, type StoredBatch, type StreamName } from "../../log/log.ts";
import type { Surroundings } from "./mailbox.ts";
import { loadStream, replay, type StreamState } from "./stream-state.ts";

const pageEntries = 5_000;

const noHead: Head = { version: 0, hash: "" };

export class StreamMemory<State, Command, Event> {
  readonly #stream: StreamName;
  readonly #decider: Decider<State, Command, Event>;
  readonly #surroundings: Surroundings;
  loaded: StreamState<State> | undefined;
  /** The newest entry that is both in memory and in the log, without undecided or non-durable ones. */
  head = noHead;
  #known = 0;
  #unreadableUntil = 0 as Millis;
  /** The loaded version, if the clock was behind its newest entry. */
  aheadVersion: number | undefined;
  loadedAt = 0;

  constructor(stream: StreamName, decider: Decider<State, Command, Event>, surroundings: Surroundings) {
    this.#stream = stream;
    this.#decider = decider;
    this.#surroundings = surroundings;
  }

  noteHead(): void {
    const { version, hash } = this.loaded!;
    if (version !== this.head.version) this.head = { version, hash };
  }

  /** The time until which the stream could not be read although it was requested. */
  unreadableUntil(now: Millis): Millis {
    // If the clock is set back further, all entries would count as too old, and turns would restart whenever they run out.
    if (now < this.#unreadableUntil) this.#unreadableUntil = now;
    return this.#unreadableUntil;
  }

  know(version: number): void {
    this.#known = Math.max(this.#known, version);
  }

  get isBehind(): boolean {
    return this.loaded !== undefined && this.#known > this.loaded.version;
  }

  letGo(): void {
    this.loaded = undefined;
    this.head = noHead;
    this.#known = 0;
  }

  async load(): Promise<void> {
    const { log, clock, fetches } = this.#surroundings;
    await fetches.take();
    try {
      this.loaded = await loadStream(log, this.#stream, this.#decider);
      this.aheadVersion = this.loaded.at > clock.now() ? this.loaded.version : undefined;
      this.loadedAt = clock.elapsed();
      this.noteHead();
    } catch (error) {
      this.#unreadableUntil = clock.now();
      throw error;
    } finally {
      fetches.release();
    }
  }

  /** Reads on from the current version; yields other nodes' entries page by page. */
  async *catchUp(): AsyncGenerator<Entry<Event>[]> {
    const { log, fetches } = this.#surroundings;
    const loaded = this.loaded!;
    await fetches.take();
    try {
      for (;;) {
        const known = this.#known;
        const batches = await log.read(this.#stream, loaded.version, pageEntries);
        if (batches.length > 0) yield this.absorb(batches, "checked");
        // There is no newer version after all, so do not ask for it again.
        else if (this.#known === known) this.#known = loaded.version;
        if (this.#known <= loaded.version) return;
      }
    } catch (error) {
      // Entries applied before a failed read are durable. After any other error, the state may contain half an entry.
      if (error instanceof LogUnavailable) this.#known = 0;
      else this.letGo();
      throw error;
    } finally {
      fetches.release();
    }
  }

  absorb(batches: readonly StoredBatch[], hashes: "checked" | "trusted"): Entry<Event>[] {
    const { evolve } = this.#decider;
    const entries = batches.flatMap((batch) => replay(this.#stream, this.loaded!, batch, evolve, hashes));
    this.noteHead();
    return entries;
  }
}

/** CL6: whether the log does not contain what was in memory. */
export function hasGoneBack(before: Head, { version, hash }: Head = noHead): boolean {
  return version < before.version || (version === before.version && version > 0 && hash !== before.hash);
}
