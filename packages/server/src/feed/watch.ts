import type { PersonId } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import { decodeEntry, type Entry } from "../log/entry.ts";
import type { Log, StoredBatch, StreamName } from "../log/log.ts";
import type { TimeSlices } from "../scheduling/time-slices.ts";

/** `json` is the same text for every kind of connection (FD4). */
export interface FeedMessage {
  readonly type: "view" | "change";
  readonly version: number;
  readonly json: string;
  /**
   * The viewer's place, which does not expire while they watch. Null if they have none; undefined if the message does not say.
   */
  readonly ticket?: number | null | undefined;
}

export function feedMessage(
  type: FeedMessage["type"],
  version: number,
  rest: Readonly<Record<string, unknown>>,
): FeedMessage {
  return { type, version, json: JSON.stringify({ type, version, ...rest }) };
}

/** Undefined for a message that anyone may see. */
export type Viewer = PersonId | undefined;

export interface Subscriber {
  send(message: FeedMessage): void;
  /** Long work is shared out fairly among addresses. */
  readonly address: string;
  /** Bytes sent and not yet received: the memory that a slow reader uses. */
  readonly backlogBytes: number;
  /** Ends the connection. The reason has at most 120 ASCII characters. */
  drop(reason: string): void;
}

/** How a stream is shown. */
export interface Lens {
  view(viewer: Viewer): Promise<FeedMessage | undefined>;
  /** An entry, as anyone may see it. */
  change(entry: Entry): FeedMessage;
  /**
   * For streams that show each viewer something different: entries that have just become durable, with the state after them. A
   * viewer who has to read the log instead gets a view at its end.
   */
  live?(entries: readonly Entry[], state: unknown): (viewer: Viewer) => readonly FeedMessage[];
}

export const watchLimits = {
  /** FD2: past this, sending pauses until the subscriber has caught up. */
  backlogBytesMax: 256 * 1024,
  /** A subscriber that is further behind gets a view instead of every change. */
  catchUpEntriesMax: 5_000,
  pageEntries: 500,
  /** A larger page is decoded in a time slice, because a client can request the same large entry again and again. */
  pageCharactersMax: 65_536,
  drainCheckMs: 50,
  /** A subscriber that receives nothing for this long is dropped. */
  stuckMsMax: 30_000,
} as const;

export interface WatchDeps {
  readonly log: Pick<Log, "head" | "read">;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly onError: (error: unknown) => void;
}

interface WatchOptions {
  readonly lens: Lens;
  readonly subscriber: Subscriber;
  readonly after: number | undefined;
  readonly viewer: Viewer;
  readonly onPlace: ((ticket: number | null) => void) | undefined;
}

/**
 * One subscriber's cursor in one stream. At the head, changes are passed on as they become durable. A subscriber that is new or
 * has fallen behind reads the log up to the head first.
 */
export class Watch {
  readonly viewer: Viewer;
  readonly #stream: StreamName;
  readonly #deps: WatchDeps;
  readonly #lens: Lens;
  readonly #subscriber: Subscriber;
  readonly #onPlace: WatchOptions["onPlace"];
  /** The newest version that was shown; -1 before anything was. */
  #cursor: number;
  /** The newest version known to be durable. */
  #head = 0;
  #atHead = false;
  /** Set by `catchUp`, and cleared when a read begins: a read that was already under way may have missed it. */
  #inDoubt = false;
  #closed = false;
  /** If each viewer sees something different, the cursor does not say what this viewer has seen. */
  #wantsView: boolean;

  constructor(stream: StreamName, deps: WatchDeps, options: WatchOptions) {
    this.#stream = stream;
    this.#deps = deps;
    this.viewer = options.viewer;
    this.#lens = options.lens;
    this.#subscriber = options.subscriber;
    this.#onPlace = options.onPlace;
    this.#cursor = options.after ?? -1;
    this.#wantsView = options.lens.live !== undefined;
  }

  get cursor(): number {
    return this.#cursor;
  }

  async start(): Promise<void> {
    try {
      const head = await this.#deps.log.head(this.#stream);
      this.#head = Math.max(this.#head, head?.version ?? 0);
      // A cursor past the head belongs to an earlier stream of this name, so only a view can correct it. If the head cannot be
      // read, do not use 0: the subscriber would miss the changes it came back for.
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

  /** `changes` are durable. They may arrive late or again; none is shown twice. */
  publish(changes: readonly FeedMessage[]): void {
    // Never lower it, or a late publication would stop a read in progress too early.
    this.#head = Math.max(this.#head, changes[changes.length - 1].version);
    if (!this.#atHead || this.#closed) return;
    // Another node wrote the entries in the gap, or their append seemed to fail: only the log has them.
    const hasGap = changes[0].version > this.#cursor + 1;
    for (const change of changes) {
      if (hasGap || this.#subscriber.backlogBytes > watchLimits.backlogBytesMax) {
        // The rest is read from the log, so that other subscribers do not wait for this one.
        this.#atHead = false;
        void this.#follow();
        return;
      }
      this.#pass(change);
    }
  }

  /** Entries up to this version may have been written without being published. */
  catchUp(version = Number.POSITIVE_INFINITY): void {
    if (version <= this.#cursor) return;
    this.#inDoubt = true;
    if (!this.#atHead || this.#closed) return;
    this.#atHead = false;
    void this.#follow();
  }

  /** Brings the subscriber to the head. */
  async #follow(): Promise<void> {
    try {
      if (!(await this.#drained())) return;
      const isNew = this.#cursor < 0;
      if (isNew || this.#head - this.#cursor > watchLimits.catchUpEntriesMax) await this.#showAll();
      do {
        const seen = this.#cursor;
        while (!this.#closed && (await this.#readPage()));
        // The log does not hold everything such a stream shows. If it advances while the view is fetched, fetch again.
        if (this.#closed || !(this.#wantsView || (this.#lens.live && this.#cursor > seen))) return;
        // What is published before the view is shown may be incomplete.
        this.#wantsView = true;
        this.#atHead = false;
        await this.#showAll();
      } while (!this.#closed);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    this.#deps.onError(error);
    this.#subscriber.drop("This cannot be read right now. Reconnect from the last version seen.");
  }

  async #showAll(): Promise<void> {
    const isNew = this.#cursor < 0;
    const view = await this.#lens.view(this.viewer);
    if (!view) throw new Error(`There is no view of ${this.#stream}.`);
    if (this.#closed || view.version < this.#cursor) return;
    // FD1: a subscriber that came back for changes gets those before the view.
    const isNear = view.version - this.#cursor <= watchLimits.catchUpEntriesMax;
    if (!isNew && isNear)
      while (!this.#closed && this.#cursor < view.version && (await this.#readPage(view.version)));
    // Later changes may have been sent meanwhile. The view must not undo them.
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
    // Otherwise, entries that became durable during the read would be skipped. The same goes for entries up to the view, if a
    // page of large entries ends before it.
    const goal = last === Number.POSITIVE_INFINITY ? this.#head : Math.max(this.#head, last);
    this.#atHead = isWhole && this.#cursor >= goal && !this.#inDoubt;
    return !this.#atHead && this.#drained();
  }

  /** Undefined if the page is large; then nothing was sent. */
  async #passSmallPage(last: number): Promise<boolean | undefined> {
    const batches = await this.#deps.log.read(this.#stream, this.#cursor, watchLimits.pageEntries);
    if (this.#closed) return false;
    return isLarge(batches) ? undefined : this.#passAll(batches, last);
  }

  /** Read again in its time slice: keeping the large pages of many subscribers until then would fill the memory. */
  #passLargePage(last: number): Promise<boolean> {
    return this.#deps.slices.run(async () => {
      if (this.#closed) return false;
      const batches = await this.#deps.log.read(this.#stream, this.#cursor, watchLimits.pageEntries);
      return !this.#closed && this.#passAll(batches, last);
    }, this.#subscriber.address);
  }

  /** False if the subscriber cannot take all of it. The rest is read again. */
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

  /** Waits until the subscriber has received most of its backlog; false if it is gone or was dropped. */
  async #drained(): Promise<boolean> {
    const since = this.#deps.clock.now();
    while (!this.#closed && this.#subscriber.backlogBytes > watchLimits.backlogBytesMax / 2) {
      if (this.#deps.clock.now() - since > watchLimits.stuckMsMax) {
        this.#subscriber.drop("You are reading too slowly. Reconnect from the last version seen.");
        return false;
      }
      await new Promise<void>((resolve) => this.#deps.clock.after(watchLimits.drainCheckMs, resolve));
    }
    return !this.#closed;
  }
}

function isLarge(batches: readonly StoredBatch[]): boolean {
  let characters = 0;
  for (const { lines } of batches) for (const line of lines) characters += line.length;
  return characters > watchLimits.pageCharactersMax;
}
