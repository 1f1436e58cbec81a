import type { Millis } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import { LogUnavailable } from "../log/log.ts";
import { sharingLimits } from "../log/sharing.ts";

/** Since when people could act in time. */
export interface Service {
  /** AR9: clocks in streams whose newest entry is older than this restart before anything else is decided. */
  readonly servedSince: Millis;
  /** When an outage was last over that did not restart all leases by itself, by `clock.elapsed`. */
  readonly interruptedAt: number;
  /** False while there may have been an outage that is not known here yet. Nothing that is due is decided then. */
  readonly isCurrent: boolean;
}

/** A smaller difference between the clock and the time that has passed is drift. */
const settingMsMin = 1_000;

/** Since when a process that has its log for itself has served without interruption. */
export class Uptime implements Service {
  readonly isCurrent = true;
  readonly #clock: Clock;
  #since = 0 as Millis;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  /** The clock's time minus the elapsed time. It only changes when the clock is set, or runs slower. */
  #offset = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get servedSince(): Millis {
    const now = this.#clock.now();
    const offset = now - this.#clock.elapsed();
    const isSetForward = offset - this.#offset >= settingMsMin;
    // Noted each time: while time runs slower (CK1) it falls, and a later step forward has to be measured from there.
    this.#offset = offset;
    // After a step forward, time is missing that nobody could use. After a step back to before the start, all entries would be too old.
    if (isSetForward || now < this.#since) this.begin();
    return this.#since;
  }

  get interruptedAt(): number {
    return this.#interruptedAt;
  }

  /** From now on. Not before the start: where nodes share a log, the clock must not be asked before it follows that of the log. */
  begin(): void {
    this.#since = this.#clock.now();
    this.#offset = this.#since - this.#clock.elapsed();
  }

  /** People could not act until now: clocks restart, and nobody is taken for silent. */
  interrupt(): void {
    this.#interruptedAt = this.#clock.elapsed();
    this.begin();
  }

  /** A call that fails or is slow has kept people from acting: what was due meanwhile must not be held against them. */
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
}
