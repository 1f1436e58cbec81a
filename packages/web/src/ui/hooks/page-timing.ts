import type { Timing } from "./refreshing.ts";

/** The browser's clock and timers. */
export const pageTiming: Timing = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
