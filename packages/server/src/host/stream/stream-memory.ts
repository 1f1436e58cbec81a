import type { Decider, Millis } from "@openseat/kernel";
import type { Clock } from "../../clock.ts";
import type { Entry } from "../../log/entry.ts";
import { type Head, type Log, LogUnavailable, type StoredBatch, type StreamName } from "../../log/log.ts";
import type { Slots } from "../slots.ts";
import { loadStream, replay, type StreamState } from "./stream-state.ts";

/** Entries that are read at once to catch up with other nodes. */
const pageEntries = 5_000;

interface Surroundings {
  readonly clock: Clock;
  readonly fetches: Slots;
}

const noHead: Head = { version: 0, hash: "" };

/** The state of one stream in memory, and how far behind the log it is known to be. */
export class StreamMemory<State, Command, Event> {
  readonly #log: Log;
  readonly #stream: StreamName;
  readonly #decider: Decider<State, Command, Event>;
  readonly #clock: Clock;
  readonly #fetches: Slots;
  #loaded: StreamState<State> | undefined;
  #head = noHead;
  /** The stream is known to have this version. */
  #known = 0;
  #unreadableUntil = 0 as Millis;
  /** The version that was read, if the clock was behind its newest entry. */
  aheadVersion: number | undefined;
  /** When it was read, by `clock.elapsed`. */
  loadedAt = 0;

  /** `fetches` are shared with others: a thousand rooms that come at once must not keep all who ask waiting. */
  constructor(
    log: Log,
    stream: StreamName,
    decider: Decider<State, Command, Event>,
    { clock, fetches }: Surroundings,
  ) {
    this.#clock = clock;
    this.#fetches = fetches;
    this.#log = log;
    this.#stream = stream;
    this.#decider = decider;
  }

  get loaded(): StreamState<State> | undefined {
    return this.#loaded;
  }

  /** The newest entry that is in memory and in the log. What was decided since, and is on its way there, does not count. */
  get head(): Head {
    return this.#head;
  }

  /** All that is in memory is in the log. */
  noteHead(): void {
    const { version, hash } = this.#loaded!;
    if (version !== this.#head.version) this.#head = { version, hash };
  }

  /** By the clock: until then it could not be read when somebody asked for it. */
  unreadableUntil(now: Millis): Millis {
    // After a step back to before it, all entries would be too old, and a turn would restart each time it runs out.
    if (now < this.#unreadableUntil) this.#unreadableUntil = now;
    return this.#unreadableUntil;
  }

  know(version: number): void {
    this.#known = Math.max(this.#known, version);
  }

  get isBehind(): boolean {
    return this.#loaded !== undefined && this.#known > this.#loaded.version;
  }

  letGo(): void {
    this.#loaded = undefined;
    this.#head = noHead;
    this.#known = 0;
  }

  async load(): Promise<void> {
    await this.#fetches.take();
    try {
      this.#loaded = await loadStream(this.#log, this.#stream, this.#decider);
      this.aheadVersion = this.#loaded.at > this.#clock.now() ? this.#loaded.version : undefined;
      this.loadedAt = this.#clock.elapsed();
      this.noteHead();
    } catch (error) {
      this.#unreadableUntil = this.#clock.now();
      throw error;
    } finally {
      this.#fetches.release();
    }
  }

  /** Reads on from where it is; gives what others have written, page by page. */
  async *catchUp(): AsyncGenerator<Entry<Event>[]> {
    const loaded = this.#loaded!;
    await this.#fetches.take();
    try {
      for (;;) {
        const known = this.#known;
        const batches = await this.#log.read(this.#stream, loaded.version, pageEntries);
        if (batches.length > 0) yield this.#absorb(batches, "checked");
        // Whoever said that there is more was mistaken: asking again and again would not bring it.
        else if (this.#known === known) this.#known = loaded.version;
        if (this.#known <= loaded.version) return;
      }
    } catch (error) {
      // What was absorbed is durable. Half an entry is not what the log holds.
      if (error instanceof LogUnavailable) this.#known = 0;
      else this.letGo();
      throw error;
    } finally {
      this.#fetches.release();
    }
  }

  /** What others have appended, as the log handed it to a commit. The log has checked that it follows from what is in memory. */
  absorb(batches: readonly StoredBatch[]): Entry<Event>[] {
    return this.#absorb(batches, "trusted");
  }

  #absorb(batches: readonly StoredBatch[], hashes: "checked" | "trusted"): Entry<Event>[] {
    const { evolve } = this.#decider;
    const entries = batches.flatMap((batch) => replay(this.#stream, this.#loaded!, batch, evolve, hashes));
    this.noteHead();
    return entries;
  }
}

/** CL6: whether the log does not hold what was in memory. */
export function hasGoneBack(before: Head, { version, hash }: Head = noHead): boolean {
  return version < before.version || (version === before.version && version > 0 && hash !== before.hash);
}
