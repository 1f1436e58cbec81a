import type { Millis } from "@openseat/kernel";
import { type Clock, newSystemClock, type Timer } from "../../src/clock.ts";

/** The machine's clock, and further ahead each time that a test says so. */
export interface SkewedClock extends Clock {
  /** Somebody sets the clock: no timer notices. */
  skip(ms: number): void;
  /** So much time has passed, for timers too. */
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

/** A clock that stands still, for budgets that fill up again by the minute. Timers run all the same. */
export function stillClock(): Clock {
  const clock = newSystemClock();
  const now = clock.now();
  return { ...clock, now: () => now };
}
