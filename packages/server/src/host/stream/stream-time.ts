import type { Millis } from "@openseat/kernel";
import { type Clock, catchUpShare } from "../../clock.ts";

const aheadMsMin = 1_000;

/**
 * CK3: a stream uses the clock's time, unless a fast clock has written to it. Then its time continues from the newest entry, a
 * tenth slower, until the clock has caught up. If it waited for the clock, a queue would stand still for days.
 */
export class StreamTime {
  readonly #clock: Pick<Clock, "elapsed">;
  /** The newest entry that was ahead of all known times, and when it was first seen. */
  #from = Number.NEGATIVE_INFINITY;
  #since = 0;

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  at(now: Millis, newest: Millis): Millis {
    const elapsed = this.#clock.elapsed();
    const own = this.#from + (elapsed - this.#since) * (1 - catchUpShare);
    if (newest <= own) return Math.max(now, Math.floor(own)) as Millis;
    this.#from = newest;
    this.#since = elapsed;
    return Math.max(now, newest) as Millis;
  }

  /** When the stream's time reaches `due`, by the clock. Used to wake streams and to date outages. */
  byClock(due: Millis, now: Millis, newest: Millis): Millis {
    const time = this.at(now, newest);
    // The clocks of nodes always differ a little. Woken early, the stream would have to be retried.
    if (time - now < aheadMsMin) return due;
    const leftMs = Math.ceil((due - time) / (1 - catchUpShare));
    return Math.min(due, now + leftMs) as Millis;
  }
}
