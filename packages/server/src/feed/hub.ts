import type { Clock } from "../clock.ts";
import type { Entry } from "../log/entry.ts";
import type { Log, StreamName } from "../log/log.ts";
import { TimeSlices } from "../scheduling/time-slices.ts";
import { eachStream } from "./each-stream.ts";
import { SharedReads } from "./shared-reads.ts";
import { type FeedMessage, type Lens, type Subscriber, type Viewer, Watch, type WatchDeps } from "./watch.ts";

interface Watching {
  /** The last version seen. */
  readonly after: number | undefined;
  readonly viewer?: Viewer;
  /** Called with the viewer's place before a message that contains it is sent. */
  readonly onPlace?: (ticket: number | null) => void;
}

interface Published {
  readonly stream: StreamName;
  readonly entries: readonly Entry[];
  readonly state: unknown;
}

/** A subscription. Its watch is replaced when it restarts. */
interface Watcher {
  current: Watch;
  startAnew(): void;
}

function sameForAll(lens: Lens, entries: readonly Entry[]): () => readonly FeedMessage[] {
  const changes = entries.map((entry) => lens.change(entry));
  return () => changes;
}

/** Connects watchers to streams. It gets only durable entries, so no viewer sees what may be lost. */
export class Hub {
  readonly #deps: WatchDeps;
  readonly #log: Pick<Log, "heads">;
  readonly #watches = new Map<StreamName, { lens: Lens; watches: Set<Watcher> }>();

  constructor(log: Log, clock: Clock, onError: (error: unknown) => void = () => {}) {
    this.#deps = { log: new SharedReads(log), clock, slices: new TimeSlices(clock), onError };
    this.#log = log;
  }

  get size(): number {
    let size = 0;
    for (const { watches } of this.#watches.values()) size += watches.size;
    return size;
  }

  has(stream: StreamName): boolean {
    return this.#watches.has(stream);
  }

  /** From the change after `after`; with a view first if that is undefined or too long ago. */
  watch(
    stream: StreamName,
    lens: Lens,
    subscriber: Subscriber,
    { after, viewer, onPlace }: Watching,
  ): { close(): void } {
    const watchFrom = (after: number | undefined) => {
      const watch = new Watch(stream, this.#deps, { lens, subscriber, after, viewer, onPlace });
      void watch.start();
      return watch;
    };
    const watcher: Watcher = {
      current: watchFrom(after),
      startAnew() {
        this.current.close();
        this.current = watchFrom(undefined);
      },
    };
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

  /** `state` is the state after the entries; it is not kept. Entries that were published before are not shown again. */
  publish({ stream, entries, state }: Published): void {
    const channel = this.#watches.get(stream);
    if (!channel) return;
    const changesFor = channel.lens.live?.(entries, state) ?? sameForAll(channel.lens, entries);
    for (const { current } of channel.watches) current.publish(changesFor(current.viewer));
  }

  /** The stream may have advanced to this version, if it is known, without a publication. */
  catchUp(stream: StreamName, version?: number): void {
    for (const { current } of this.#watches.get(stream)?.watches ?? []) current.catchUp(version);
  }

  /** CL6: entries after this version may be lost. Watchers who were shown more get a fresh view. */
  showAnew(stream: StreamName, version = 0): void {
    for (const watcher of this.#watches.get(stream)?.watches ?? [])
      if (watcher.current.cursor > version) watcher.startAnew();
  }

  showAllAnew(versionOf: (stream: StreamName) => number): void {
    for (const stream of this.#watches.keys()) this.showAnew(stream, versionOf(stream));
  }

  /** Other nodes may have appended to any stream. */
  catchUpAll(): void {
    eachStream(this.#log, [...this.#watches.keys()], (stream, version) =>
      this.catchUp(stream, version),
    ).catch(this.#deps.onError);
  }
}
