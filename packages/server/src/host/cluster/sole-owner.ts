import type { Millis } from "@openseat/kernel";
import type { Clock } from "../../clock.ts";
import { LogUnavailable } from "../../log/log.ts";
import { sharingLimits } from "../../log/sharing.ts";
import type { LastEntry, Membership } from "./membership.ts";

/** A smaller difference between the clock and elapsed time is drift. */
const settingMsMin = 1_000;

export class SoleOwner implements Membership {
  readonly isLeader = true;
  readonly nodes = 1;
  readonly sinceHeartbeatMs = undefined;
  readonly memoryIsNewest = true;
  readonly heartbeatsKnownUntil = Number.POSITIVE_INFINITY;
  readonly spansMin = 1;
  readonly readingRestarts = true;
  readonly unsendable = "failure";
  readonly isCurrent = true;
  readonly #clock: Clock;
  readonly #onLeader: (isLeader: boolean) => void;
  #since = 0 as Millis;
  interruptedAt = Number.NEGATIVE_INFINITY;
  /** The clock's time minus elapsed time. It changes only when the clock is set or catches up (CK1). */
  #offset = 0;

  constructor(clock: Clock, onLeader: (isLeader: boolean) => void = () => {}) {
    this.#clock = clock;
    this.#onLeader = onLeader;
  }

  async start(): Promise<void> {
    this.begin();
    this.#onLeader(true);
  }

  async stop(): Promise<void> {}

  isInterruptedSince({ at, unreadableUntil, isAhead, wasStopped }: LastEntry): boolean {
    // Read it on every call, because reading also records the clock's offset.
    const { servedSince } = this;
    // After the clock was set back, an entry that is ahead of the clock may be older than the start.
    return at < servedSince || at < unreadableUntil || isAhead || wasStopped;
  }

  /** AR9: the end of the last interruption. */
  get servedSince(): Millis {
    const now = this.#clock.now();
    const offset = now - this.#clock.elapsed();
    const isSetForward = offset - this.#offset >= settingMsMin;
    // Record it each time: the offset shrinks while time runs slower (CK1), and a later step forward is measured from there.
    this.#offset = offset;
    // A step forward skips time that nobody could use. After a step back to before the start, all entries would count as too old.
    if (isSetForward || now < this.#since) this.begin();
    return this.#since;
  }

  begin(): void {
    this.#since = this.#clock.now();
    this.#offset = this.#since - this.#clock.elapsed();
  }

  interrupt(): void {
    this.interruptedAt = this.#clock.elapsed();
    this.begin();
  }

  async watch<T>(call: Promise<T>): Promise<T> {
    const startedAt = this.#clock.elapsed();
    let hasFailed = false;
    try {
      return await call;
    } catch (error) {
      hasFailed = error instanceof LogUnavailable;
      throw error;
    } finally {
      const isSlow = this.#clock.elapsed() - startedAt >= sharingLimits.outageMs;
      if (hasFailed || isSlow) this.interrupt();
    }
  }

  // A sole owner has no other nodes to notify.
  noteHeartbeat(): void {}
  checkVersion(): void {}
  noteLoaded(): void {}
  afterOthers(): void {}
  awaitHeartbeat(): void {}
  holdBack(): void {}
  announce(): void {}
  doubt(): void {}
}
