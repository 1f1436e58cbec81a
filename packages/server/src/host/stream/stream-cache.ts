import type { Clock, Timer } from "../../clock.ts";
import type { StreamName } from "../../log/log.ts";
import type { AnyMailbox } from "./mailbox.ts";

interface StreamCacheDeps {
  readonly clock: Clock;
  readonly max: number;
  readonly idleMs: number;
  readonly make: (stream: StreamName) => AnyMailbox;
  readonly isAwake: (mailbox: AnyMailbox) => boolean;
}

/** The streams in memory. Idle ones are evicted and loaded again on demand. */
export class StreamCache {
  readonly #deps: StreamCacheDeps;
  readonly #mailboxes = new Map<StreamName, AnyMailbox>();
  #timer: Timer | undefined;
  #sweepFrom: number;

  constructor(deps: StreamCacheDeps) {
    this.#deps = deps;
    this.#sweepFrom = deps.max;
  }

  get size(): number {
    return this.#mailboxes.size;
  }

  get(stream: StreamName): AnyMailbox | undefined {
    return this.#mailboxes.get(stream);
  }

  take(stream: StreamName): AnyMailbox {
    const mailbox = this.#mailboxes.get(stream) ?? this.#add(stream);
    mailbox.usedAt = this.#deps.clock.elapsed();
    return mailbox;
  }

  #add(stream: StreamName): AnyMailbox {
    // Sweep first: a mailbox that was evicted with waiting asks would decide beside a second mailbox of the same stream.
    if (this.#mailboxes.size >= this.#sweepFrom) this.#sweep();
    const mailbox = this.#deps.make(stream);
    this.#mailboxes.set(stream, mailbox);
    return mailbox;
  }

  drop(mailbox: AnyMailbox): void {
    // It may have been evicted already, and a newer mailbox of the same stream may have waiting asks.
    if (this.#mailboxes.get(mailbox.stream) !== mailbox) return;
    this.#mailboxes.delete(mailbox.stream);
    // An evicted mailbox receives no heartbeats, so it must not expire places.
    mailbox.presence.end();
  }

  all(): Iterable<AnyMailbox> {
    return this.#mailboxes.values();
  }

  start(): void {
    this.#timer = this.#deps.clock.after(this.#deps.idleMs, () => {
      this.#sweep();
      this.start();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #sweep(): void {
    const { clock, max, idleMs, isAwake } = this.#deps;
    const now = clock.elapsed();
    const free = [...this.#mailboxes.values()].filter((mailbox) => !mailbox.mustStay);
    const quiet = free.filter((mailbox) => mailbox.isQuiet && !isAwake(mailbox));
    const surplus = free.length - Math.floor(max * 0.9);
    // Streams that must stay do not count: a host with many of them would sweep in vain for every new stream.
    this.#sweepFrom = max + this.#mailboxes.size - free.length;
    quiet.sort((a, b) => a.usedAt - b.usedAt);
    quiet.forEach((mailbox, index) => {
      if (index < surplus || now - mailbox.usedAt >= idleMs) this.drop(mailbox);
    });
  }
}
