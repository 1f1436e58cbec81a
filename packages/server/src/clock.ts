import type { Millis } from "@openseat/kernel";

export interface Timer {
  cancel(): void;
}

/** Time as the host sees it. The simulator gives its own, so that a whole day can pass in a test. */
export interface Clock {
  now(): Millis;
  /** Once everything that is arriving right now has arrived. */
  soon(run: () => void): void;
  after(ms: number, run: () => void): Timer;
}

/** Longer ones would overflow Node's timers and fire at once. */
export const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now() as Millis,
  soon: (run) => void setImmediate(run),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), timerMsMax));
    return { cancel: () => clearTimeout(timer) };
  },
};
