import type { Timing } from "./refreshing.ts";

/** The time of the page. */
export const pageTiming: Timing = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
