import { Hub } from "../../src/feed/hub.ts";
import type { FeedMessage, Lens } from "../../src/feed/watch.ts";
import {
  decodeEntry,
  type Entry,
  encodeEntry,
  entryFormat,
  firstHash,
  nextHash,
} from "../../src/log/entry.ts";
import type { Head, StoredBatch, StreamName } from "../../src/log/log.ts";
import { HeldLog } from "../support/held-log.ts";
import { TestClock } from "../support/test-clock.ts";
import type { Reader } from "./theatre.ts";

const stream = "game/g";

/** A log that delays its reads and their results. */
class SlowLog extends HeldLog {
  /** How often versions were requested. */
  looks = 0;
  pause: () => Promise<void> | void = () => {};
  reads = 0;

  override async heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]> {
    this.looks++;
    return super.heads(streams);
  }

  override async read(name: StreamName, after: number, limit: number): Promise<StoredBatch[]> {
    this.reads++;
    await this.pause();
    const batches = await super.read(name, after, limit);
    await this.pause();
    return batches;
  }
}

/** A room that other nodes write to. This node gets its log, and publications that are late, batched, repeated, or missing. */
export class RemoteRoom {
  readonly log = new SlowLog();
  readonly clock = new TestClock();
  readonly errors: unknown[] = [];
  readonly hub = new Hub(this.log, this.clock, (error) => void this.errors.push(error));
  /** The size of every message, in bytes. */
  weight = 0;
  views = 0;
  /** The newest version. */
  head = 0;
  #hash = firstHash(stream);

  /** Entries that another node writes in one commit. */
  async grow(count: number): Promise<void> {
    const lines = Array.from({ length: count }, (_, index) =>
      encodeEntry({
        ...{ format: entryFormat, version: this.head + 1 + index, at: this.clock.now(), by: "ann" },
        ...{ command: "", events: [] },
      } as unknown as Entry),
    );
    for (const line of lines) this.#hash = nextHash(this.#hash, line);
    const listing = { status: "OPEN", summary: {} };
    await this.log.append([{ stream, after: this.head, lines, hash: this.#hash, due: undefined, listing }]);
    this.head += count;
  }

  /** Publishes these here, with the state after them. */
  async publish(from: number, to: number): Promise<void> {
    const batches = await this.log.inner.read(stream, 0, this.head);
    const entries = batches.flatMap(({ lines }) => lines.map((line) => decodeEntry(line)));
    this.hub.publish({ stream, entries: entries.slice(from - 1, to), state: to });
  }

  catchUp(version?: number): void {
    this.hub.catchUp(stream, version);
  }

  watch(reader: Reader, after: number | undefined, { isLive = false } = {}): { close(): void } {
    return this.hub.watch(stream, isLive ? this.#liveLens() : this.#lens(), reader, { after });
  }

  #message(type: "view" | "change", version: number, told = "the same to all"): FeedMessage {
    return { type, version, json: told.padEnd(this.weight) };
  }

  #lens(): Lens {
    return {
      view: async () => {
        this.views++;
        await this.log.pause();
        return this.#message("view", this.head, `state ${this.head}`);
      },
      change: ({ version }) => this.#message("change", version),
    };
  }

  /** Only the last of several entries, and a view, contain the state. */
  #liveLens(): Lens {
    return {
      ...this.#lens(),
      live: (entries, state) => () =>
        entries.map(({ version }, index) =>
          index < entries.length - 1
            ? this.#message("change", version)
            : this.#message("change", version, `state ${state}`),
        ),
    };
  }
}
