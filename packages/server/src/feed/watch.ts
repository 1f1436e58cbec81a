import type { PersonId } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import { decodeEntry, type Entry } from "../log/entry.ts";
import type { Log, StoredBatch, StreamName } from "../log/log.ts";
import type { TimeSlices } from "../scheduling/time-slices.ts";

/** A message of the feed. `json` carries the same text to every kind of connection (FD4). */
export interface FeedMessage {
  readonly type: "view" | "change";
  readonly version: number;
  readonly json: string;
  /** The viewer's place in what is shown, which lasts while they watch; null when they have none, undefined when it is not said. */
  readonly ticket?: number | null | undefined;
}

/** One that is the same for all. */
export function feedMessage(
  type: FeedMessage["type"],
  version: number,
  rest: Readonly<Record<string, unknown>>,
): FeedMessage {
  return { type, version, json: JSON.stringify({ type, version, ...rest }) };
}

/** For whose eyes; undefined for anyone's. */
export type Viewer = PersonId | undefined;

/** A connection at the other end. */
export interface Subscriber {
  send(message: FeedMessage): void;
  /** Where it is: long work is done for one address after the other. */
  readonly address: string;
  /** What has been sent and not yet taken: the memory that a slow reader costs. */
  readonly backlogBytes: number;
  /** Ends the connection, because it cannot keep up or what it watches cannot be read. At most 120 ASCII characters. */
  drop(reason: string): void;
}

/** How a stream is shown: all of it at once, or one entry at a time. */
export interface Lens {
  view(viewer: Viewer): Promise<FeedMessage | undefined>;
  /** An entry, as anyone may see it. */
  change(entry: Entry): FeedMessage;
  /**
   * Where an entry does not tell all, and not the same to everyone: entries that have just become durable, with the
   * state after them, for each viewer. Whoever has to read the log instead is shown a view at its end.
   */
  live?(entries: readonly Entry[], state: unknown): (viewer: Viewer) => readonly FeedMessage[];
}

export const watchLimits = {
  /** FD2: past this, nothing more is sent to the subscriber until it has caught up. */
  backlogBytesMax: 256 * 1024,
  /** Further behind than this, a view is sent instead of every change. */
  catchUpEntriesMax: 5_000,
  pageEntries: 500,
  /** A page of more than this is decoded in a time slice: anybody can ask for the same large entry again and again. */
  pageCharactersMax: 65_536,
  drainCheckMs: 50,
  /** A subscriber that takes nothing for so long is let go. */
  stuckMsMax: 30_000,
} as const;

/**
 * One subscriber's place in one stream: a cursor on the log. While it is at the head, changes are passed on as
 * they become durable; when it has fallen behind, or has just come, it reads the log up to the head.
 */
export class Watch {
  readonly stream: StreamName;
  readonly viewer: Viewer;
  readonly #log: Pick<Log, "head" | "read">;
  readonly #clock: Clock;
  readonly #slices: TimeSlices;
  readonly #lens: Lens;
  readonly #subscriber: Subscriber;
  readonly #onPlace: ((ticket: number | null) => void) | undefined;
  readonly #onError: (error: unknown) => void;
  #cursor: number;
  /** The newest version known to be durable. */
  #head = 0;
  #atHead = false;
  /** Set by `catchUp`, cleared as a read sets out: a read that was already under way may have missed it. */
  #inDoubt = false;
  #closed = false;
  /** Of what differs from viewer to viewer, a cursor alone does not say what the viewer has seen. */
  #wantsView: boolean;

  constructor(
    stream: StreamName,
    parts: {
      log: Pick<Log, "head" | "read">;
      clock: Clock;
      slices: TimeSlices;
      lens: Lens;
      subscriber: Subscriber;
      after: number | undefined;
      viewer: Viewer;
      onPlace: ((ticket: number | null) => void) | undefined;
      onError: (error: unknown) => void;
    },
  ) {
    this.stream = stream;
    this.viewer = parts.viewer;
    this.#onPlace = parts.onPlace;
    this.#log = parts.log;
    this.#clock = parts.clock;
    this.#slices = parts.slices;
    this.#lens = parts.lens;
    this.#wantsView = parts.lens.live !== undefined;
    this.#subscriber = parts.subscriber;
    this.#cursor = parts.after ?? -1;
    this.#onError = parts.onError;
  }

  /** The newest version that was shown; -1 before anything was. */
  get cursor(): number {
    return this.#cursor;
  }

  start(): void {
    void this.#begin();
  }

  async #begin(): Promise<void> {
    try {
      const head = await this.#log.head(this.stream);
      this.#head = Math.max(this.#head, head?.version ?? 0);
      // A cursor past the head is from another life of this stream: only a view can set it right. A head that could not
      // be read says nothing: taken for 0 it would skip, for a view, the changes that the subscriber came back for.
      if (this.#cursor > this.#head) this.#cursor = -1;
    } catch (error) {
      this.#giveUp(error);
      return;
    }
    await this.#follow();
  }

  close(): void {
    this.#closed = true;
  }

  /** `changes` have become durable. They may come late, and some of them again: what was shown is not shown twice. */
  publish(changes: readonly FeedMessage[]): void {
    // Never back: whoever reads the log just now would take what came late for the newest, and skip what came before it.
    this.#head = Math.max(this.#head, changes[changes.length - 1].version);
    if (!this.#atHead || this.#closed) return;
    // What lies between was written though its append seemed to fail, or by another node: only the log has it.
    const hasGap = changes[0].version > this.#cursor + 1;
    for (const change of changes) {
      if (hasGap || this.#subscriber.backlogBytes > watchLimits.backlogBytesMax) {
        // Stop here: the log keeps what is missed, and nobody else waits meanwhile.
        this.#atHead = false;
        void this.#follow();
        return;
      }
      this.#pass(change);
    }
  }

  /** Something may have been written, up to this version, without being published: only a look into the log can tell. */
  catchUp(version = Number.POSITIVE_INFINITY): void {
    if (version <= this.#cursor) return;
    this.#inDoubt = true;
    if (!this.#atHead || this.#closed) return;
    this.#atHead = false;
    void this.#follow();
  }

  /** Brings the subscriber to the head, from wherever it is. */
  async #follow(): Promise<void> {
    try {
      if (!(await this.#drained())) return;
      const isNew = this.#cursor < 0;
      if (isNew || this.#head - this.#cursor > watchLimits.catchUpEntriesMax) await this.#showAll();
      do {
        const seen = this.#cursor;
        while (!this.#closed && (await this.#readPage()));
        // Entries from the log do not tell all of such a stream. While the view is fetched it may go on: then once more.
        if (this.#closed || !(this.#wantsView || (this.#lens.live && this.#cursor > seen))) return;
        // Until it is shown: what is published in between may tell only a part of how things are.
        this.#wantsView = true;
        this.#atHead = false;
        await this.#showAll();
      } while (!this.#closed);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    this.#onError(error);
    this.#subscriber.drop("This cannot be read just now. Please come back from the last version seen.");
  }

  async #showAll(): Promise<void> {
    const isNew = this.#cursor < 0;
    const view = await this.#lens.view(this.viewer);
    if (!view) throw new Error(`No view of ${this.stream} could be had.`);
    if (this.#closed || view.version < this.#cursor) return;
    // FD1: a view says how things are, not what happened. Whoever asked for what happened is told that first.
    const isNear = view.version - this.#cursor <= watchLimits.catchUpEntriesMax;
    if (!isNew && isNear)
      while (!this.#closed && this.#cursor < view.version && (await this.#readPage(view.version)));
    // At the head again, it may have been passed what came after the view: then the view would take it back.
    if (this.#closed || view.version < this.#cursor) return;
    this.#cursor = view.version;
    this.#wantsView = false;
    this.#send(view);
  }

  /** False when the head is reached: from then on changes come by `publish`. */
  async #readPage(last = Number.POSITIVE_INFINITY): Promise<boolean> {
    this.#inDoubt = false;
    const isWhole = (await this.#passSmallPage(last)) ?? (await this.#passLargePage(last));
    if (this.#closed) return false;
    // What became durable while the log was being read is in `head`: without this look it would be skipped. So would what
    // a view is known to have, when a page of large entries ends before it.
    const goal = last === Number.POSITIVE_INFINITY ? this.#head : Math.max(this.#head, last);
    this.#atHead = isWhole && this.#cursor >= goal && !this.#inDoubt;
    return !this.#atHead && this.#drained();
  }

  /** Undefined when the page is large, and nothing of it was passed. */
  async #passSmallPage(last: number): Promise<boolean | undefined> {
    const batches = await this.#log.read(this.stream, this.#cursor, watchLimits.pageEntries);
    if (this.#closed) return false;
    return isLarge(batches) ? undefined : this.#passAll(batches, last);
  }

  /** Read again in its slice: kept until then, the large pages of a crowd would fill the memory. */
  #passLargePage(last: number): Promise<boolean> {
    return this.#slices.run(async () => {
      if (this.#closed) return false;
      const batches = await this.#log.read(this.stream, this.#cursor, watchLimits.pageEntries);
      return !this.#closed && this.#passAll(batches, last);
    }, this.#subscriber.address);
  }

  /** False when the subscriber does not take it all: entries may be large, and what is not taken is read again. */
  #passAll(batches: readonly StoredBatch[], last: number): boolean {
    for (const { first, lines } of batches) {
      for (let index = Math.max(0, this.#cursor + 1 - first); index < lines.length; index++) {
        if (first + index > last) return true;
        if (this.#subscriber.backlogBytes > watchLimits.backlogBytesMax) return false;
        this.#pass(this.#lens.change(decodeEntry(lines[index])));
      }
    }
    return true;
  }

  #pass(change: FeedMessage): void {
    if (change.version !== this.#cursor + 1) return;
    this.#cursor = change.version;
    this.#send(change);
  }

  #send(message: FeedMessage): void {
    if (message.ticket !== undefined) this.#onPlace?.(message.ticket);
    this.#subscriber.send(message);
  }

  /** Waits until the subscriber has taken what it was sent; false when it is gone or was let go. */
  async #drained(): Promise<boolean> {
    const since = this.#clock.now();
    while (!this.#closed && this.#subscriber.backlogBytes > watchLimits.backlogBytesMax / 2) {
      if (this.#clock.now() - since > watchLimits.stuckMsMax) {
        this.#subscriber.drop("You take too little to keep up. Please come back from the last version seen.");
        return false;
      }
      await new Promise<void>((resolve) => this.#clock.after(watchLimits.drainCheckMs, resolve));
    }
    return !this.#closed;
  }
}

function isLarge(batches: readonly StoredBatch[]): boolean {
  let characters = 0;
  for (const { lines } of batches) for (const line of lines) characters += line.length;
  return characters > watchLimits.pageCharactersMax;
}
