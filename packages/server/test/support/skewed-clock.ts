import type { Millis } from "@openseat/kernel";
import { type Clock, newSystemClock, type Timer } from "../../src/clock.ts";

/** The machine's clock, plus an offset that the test increases. */
export interface SkewedClock extends Clock {
  /** Sets the clock without affecting timers. */
  skip(ms: number): void;
  /** Lets time pass, for timers too. */
  pass(ms: number): void;
}

interface Waiting {
  readonly at: number;
  readonly run: () => void;
  timer: Timer;
}

export function skewedClock(): SkewedClock {
  const clock = newSystemClock();
  let skew = 0;
  let passed = 0;
  const elapsed = () => clock.elapsed() + passed;
  const timers = new Set<Waiting>();
  return {
    ...clock,
    now: () => (clock.now() + skew) as Millis,
    wall: () => (clock.wall() + skew) as Millis,
    elapsed,
    after(ms, run) {
      const fire = () => {
        timers.delete(waiting);
        run();
      };
      const waiting: Waiting = { at: elapsed() + ms, run: fire, timer: clock.after(ms, fire) };
      timers.add(waiting);
      return {
        cancel() {
          timers.delete(waiting);
          waiting.timer.cancel();
        },
      };
    },
    skip(ms) {
      skew += ms;
    },
    pass(ms) {
      skew += ms;
      passed += ms;
      for (const waiting of timers) {
        waiting.timer.cancel();
        waiting.timer = clock.after(Math.max(0, waiting.at - elapsed()), waiting.run);
      }
    },
  };
}

/** A fixed clock, for budgets that refill by the minute. Timers still run. */
export function stillClock(): Clock {
  const clock = newSystemClock();
  const now = clock.now();
  return { ...clock, now: () => now };
}
