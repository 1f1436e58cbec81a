import type { Clock } from "../clock.ts";
import type { Entry } from "../log/entry.ts";
import type { Log, StreamName } from "../log/log.ts";
import { TimeSlices } from "../scheduling/time-slices.ts";
import { eachStream } from "./each-stream.ts";
import { SameReadings } from "./same-readings.ts";
import { type FeedMessage, type Lens, type Subscriber, type Viewer, Watch } from "./watch.ts";

interface Watching {
  /** The last version seen. */
  readonly after: number | undefined;
  readonly viewer?: Viewer;
  /** Told of the viewer's place whenever it is known, before they are. */
  readonly onPlace?: (ticket: number | null) => void;
}

interface Published {
  readonly stream: StreamName;
  readonly entries: readonly Entry[];
  readonly state: unknown;
}

function sameForAll(lens: Lens, entries: readonly Entry[]): () => readonly FeedMessage[] {
  const changes = entries.map((entry) => lens.change(entry));
  return () => changes;
}

/** Who watches what. It is told of entries only after they are durable, so nobody is shown what may be lost. */
export class Hub {
  readonly #log: SameReadings;
  readonly #heads: Pick<Log, "heads">;
  readonly #clock: Clock;
  readonly #slices: TimeSlices;
  readonly #onError: (error: unknown) => void;
  readonly #watches = new Map<StreamName, { lens: Lens; watches: Set<Watcher> }>();

  constructor(log: Log, clock: Clock, onError: (error: unknown) => void = () => {}) {
    this.#log = new SameReadings(log);
    this.#heads = log;
    this.#clock = clock;
    this.#slices = new TimeSlices(clock);
    this.#onError = onError;
  }

  /** How many subscriptions there are. */
  get size(): number {
    let size = 0;
    for (const { watches } of this.#watches.values()) size += watches.size;
    return size;
  }

  /** Whether anybody watches it. */
  has(stream: StreamName): boolean {
    return this.#watches.has(stream);
  }

  /** From the change after `after`; with a view of the whole first when that is undefined or too long ago. */
  watch(
    stream: StreamName,
    lens: Lens,
    subscriber: Subscriber,
    { after, viewer, onPlace }: Watching,
  ): { close(): void } {
    const watchFrom = (after: number | undefined) =>
      new Watch(stream, {
        log: this.#log,
        clock: this.#clock,
        slices: this.#slices,
        lens,
        subscriber,
        after,
        viewer,
        onPlace,
        onError: this.#onError,
      });
    const watcher = new Watcher(watchFrom, after);
    const channel = this.#watches.get(stream) ?? { lens, watches: new Set() };
    this.#watches.set(stream, channel);
    channel.watches.add(watcher);
    return {
      close: () => {
        watcher.current.close();
        channel.watches.delete(watcher);
        if (channel.watches.size === 0 && this.#watches.get(stream) === channel) this.#watches.delete(stream);
      },
    };
  }

  /** `state` is what the entries left; it is looked at now, and not kept. What was published before is not shown again. */
  publish({ stream, entries, state }: Published): void {
    const channel = this.#watches.get(stream);
    if (!channel) return;
    const changesFor = channel.lens.live?.(entries, state) ?? sameForAll(channel.lens, entries);
    for (const { current } of channel.watches) current.publish(changesFor(current.viewer));
  }

  /**
   * The stream may have grown without anything being published: to this version, where it is known. Whoever has been shown
   * that one already is left alone, so that it costs little to say so once too often.
   */
  catchUp(stream: StreamName, version?: number): void {
    for (const { current } of this.#watches.get(stream)?.watches ?? []) current.catchUp(version);
  }

  /** CL6: what was shown of this stream after this version may be lost. Watchers who were shown more get a fresh view. */
  showAnew(stream: StreamName, version = 0): void {
    for (const watcher of this.#watches.get(stream)?.watches ?? [])
      if (watcher.current.cursor > version) watcher.startAnew();
  }

  /** CL6: the same of every stream that is watched. */
  showAllAnew(versionOf: (stream: StreamName) => number): void {
    for (const stream of this.#watches.keys()) this.showAnew(stream, versionOf(stream));
  }

  /** Any of them may have, by other nodes. */
  catchUpAll(): void {
    eachStream(this.#heads, [...this.#watches.keys()], (stream, version) =>
      this.catchUp(stream, version),
    ).catch(this.#onError);
  }
}

/** A subscriber, and where it is in the stream. */
class Watcher {
  readonly #watchFrom: (after: number | undefined) => Watch;
  current: Watch;

  constructor(watchFrom: (after: number | undefined) => Watch, after: number | undefined) {
    this.#watchFrom = watchFrom;
    this.current = watchFrom(after);
    this.current.start();
  }

  startAnew(): void {
    this.current.close();
    this.current = this.#watchFrom(undefined);
    this.current.start();
  }
}
