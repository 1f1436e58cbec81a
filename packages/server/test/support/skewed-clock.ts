import type { Millis } from "@openseat/kernel";
import { type Clock, newSystemClock } from "../../src/clock.ts";

/** The machine's clock, and further ahead each time that a test says so. */
export interface SkewedClock extends Clock {
  skip(ms: number): void;
}

export function skewedClock(): SkewedClock {
  const clock = newSystemClock();
  let skew = 0;
  return {
    ...clock,
    now: () => (clock.now() + skew) as Millis,
    skip(ms) {
      skew += ms;
    },
  };
}
