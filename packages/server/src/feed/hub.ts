import type { Clock } from "../clock.ts";
import type { Entry } from "../log/entry.ts";
import type { Log, StreamName } from "../log/log.ts";
import type { Sharing } from "../log/sharing.ts";
import { TimeSlices } from "../time-slices.ts";
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
  readonly #sharing: Sharing | undefined;
  readonly #clock: Clock;
  readonly #slices: TimeSlices;
  readonly #onError: (error: unknown) => void;
  readonly #watches = new Map<StreamName, { lens: Lens; watches: Set<Watch> }>();

  constructor(log: Log, clock: Clock, onError: (error: unknown) => void = () => {}) {
    this.#log = new SameReadings(log);
    this.#sharing = log.sharing;
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
    const watch = new Watch(stream, {
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
    const channel = this.#watches.get(stream) ?? { lens, watches: new Set() };
    this.#watches.set(stream, channel);
    channel.watches.add(watch);
    watch.start();
    return {
      close: () => {
        watch.close();
        channel.watches.delete(watch);
        if (channel.watches.size === 0 && this.#watches.get(stream) === channel) this.#watches.delete(stream);
      },
    };
  }

  /** `state` is what the entries left; it is looked at now, and not kept. What was published before is not shown again. */
  publish({ stream, entries, state }: Published): void {
    const channel = this.#watches.get(stream);
    if (!channel) return;
    const changesFor = channel.lens.live?.(entries, state) ?? sameForAll(channel.lens, entries);
    for (const watch of channel.watches) watch.publish(changesFor(watch.viewer));
  }

  /**
   * The stream may have grown without anything being published: to this version, where it is known. Whoever has been shown
   * that one already is left alone, so that it costs little to say so once too often.
   */
  catchUp(stream: StreamName, version?: number): void {
    for (const watch of this.#watches.get(stream)?.watches ?? []) watch.catchUp(version);
  }

  /** Any of them may have, by other nodes. Where there are none, nothing has. */
  catchUpAll(): void {
    if (!this.#sharing) return;
    eachStream(this.#sharing, [...this.#watches.keys()], (stream, version) =>
      this.catchUp(stream, version),
    ).catch(this.#onError);
  }
}
