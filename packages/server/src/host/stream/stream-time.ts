import type { Millis } from "@openseat/kernel";
import { type Clock, catchUpShare } from "../../clock.ts";

const aheadMsMin = 1_000;

/**
 * CK3: the time of one stream. It is the clock's, unless a clock that ran ahead has written to the stream: then its time goes on from
 * its newest entry, a tenth slower, until the clock has caught up. If it waited for the clock instead, a queue would stand still for days.
 */
export class StreamTime {
  readonly #clock: Pick<Clock, "elapsed">;
  /** The newest entry that was ahead of everything known before, and when it was first seen. */
  #from = Number.NEGATIVE_INFINITY;
  #since = 0;

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /** The time of a stream whose newest entry is of `newest`, when it is `now` by the clock. */
  at(now: Millis, newest: Millis): Millis {
    const elapsed = this.#clock.elapsed();
    const own = this.#from + (elapsed - this.#since) * (1 - catchUpShare);
    if (newest <= own) return Math.max(now, Math.floor(own)) as Millis;
    this.#from = newest;
    this.#since = elapsed;
    return Math.max(now, newest) as Millis;
  }

  /** When the stream's time will be `due`, or was, by the clock: streams are woken by that, and outages are dated by it. */
  byClock(due: Millis, now: Millis, newest: Millis): Millis {
    const time = this.at(now, newest);
    // Clocks of nodes always differ a little: woken early by that, the stream would have to be tried again.
    if (time - now < aheadMsMin) return due;
    const leftMs = Math.ceil((due - time) / (1 - catchUpShare));
    return Math.min(due, now + leftMs) as Millis;
  }
}
