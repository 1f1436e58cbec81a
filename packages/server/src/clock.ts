import type { Millis } from "@openseat/kernel";

export interface Timer {
  cancel(): void;
}

/** Time as the host sees it. The simulator gives its own, so that a whole day can pass in a test. */
export interface Clock {
  now(): Millis;
  /** A stream was left at this time: from now on it is not earlier than that. */
  reach?(at: Millis): void;
  /** Milliseconds since some moment, by a clock that nobody can set. */
  elapsed(): number;
  /** Once everything that is arriving right now has arrived. */
  soon(run: () => void): void;
  after(ms: number, run: () => void): Timer;
}

/** Longer ones would overflow Node's timers and fire at once. */
export const timerMsMax = 2 ** 31 - 1;

/** Small corrections are waited out; whatever is more is a clock that was set. */
const settingMsMin = 1_000;
const reachMsMax = 24 * 60 * 60 * 1000;

/**
 * Wall time that never goes back. A clock that ran ahead and is set right would otherwise stop every line for as long:
 * no token, no claim that runs out, until it has caught up. Here time goes on from where it was.
 */
export class SteadyTime {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  #ahead = 0;
  #told = Number.NEGATIVE_INFINITY;
  #toldAt = 0;

  constructor(wall: () => number, monotonic: () => number) {
    this.#wall = wall;
    this.#monotonic = monotonic;
  }

  now(): Millis {
    const wall = this.#wall();
    const at = this.#monotonic();
    const set = wall + this.#ahead - (this.#told + at - this.#toldAt);
    if (set < -settingMsMin) this.#ahead -= set;
    else if (set > settingMsMin) this.#ahead = Math.max(0, this.#ahead - set);
    this.#told = Math.max(this.#told, Math.floor(wall + this.#ahead));
    this.#toldAt = at;
    return this.#told as Millis;
  }

  /**
   * For what a clock that ran ahead has written: after a restart with the clock set right, its lines would stand still
   * until the clock has caught up. Further than a day is no drift but a mistake, which the other lines need not share.
   */
  reach(at: Millis): void {
    const behind = at - this.now();
    if (behind <= 0 || behind > reachMsMax) return;
    this.#ahead += behind;
    this.#told = at;
  }
}

const steadyTime = new SteadyTime(Date.now, () => performance.now());

export const systemClock: Clock = {
  now: () => steadyTime.now(),
  reach: (at) => steadyTime.reach(at),
  elapsed: () => performance.now(),
  soon: (run) => void setImmediate(run),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), timerMsMax));
    return { cancel: () => clearTimeout(timer) };
  },
};
