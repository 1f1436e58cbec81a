import type { Millis } from "@openseat/kernel";

export interface Timer {
  cancel(): void;
}

/** The host's time source. The simulator and tests provide their own, so a whole day can pass in a test. */
export interface Clock {
  /**
   * The server's time. It never goes back when the wall clock is corrected, so it may run ahead of the wall clock for a while
   * (CK1).
   */
  now(): Millis;
  /** The wall clock, including corrections. Use it for times that others chose, such as the expiry of a token. */
  wall(): Millis;
  /** Makes sure that `now` is not earlier than this time, which is the newest entry of a stream. */
  reach?(at: Millis): void;
  /**
   * Follows the clock that all nodes share: `at` was its time a moment ago. Call it with each answer that contains that time,
   * and once before anything is decided. Otherwise two machines whose clocks differ would end each other's turns.
   */
  follow?(at: Millis): void;
  /** Milliseconds from an arbitrary start, by a clock that cannot be set. */
  elapsed(): number;
  /** Runs after everything that is arriving in this tick. */
  soon(run: () => void): void;
  after(ms: number, run: () => void): Timer;
}

/** Longer delays overflow Node's timers, which then fire at once. */
export const timerMsMax = 2 ** 31 - 1;

/** Smaller corrections are absorbed. A larger one means that somebody set the clock. */
const settingMsMin = 1_000;
/**
 * If time is further ahead than this, it goes back to the wall clock: end times that people choose would be useless otherwise.
 */
export const aheadMsMax = 24 * 60 * 60 * 1000;
/** Share of the passing time used to catch up with the wall clock. Lines move a tenth slower meanwhile, but never stop. */
export const catchUpShare = 0.1;

/**
 * CK1: wall time that does not go back when the clock is corrected. If it did, every line would stop until the clock caught up:
 * no admissions, no expired claims. Time continues a tenth slower instead, until the wall clock has caught up.
 */
export class SteadyTime {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  readonly #others: FollowedTime;
  #ahead = 0;
  #lastNow = Number.NEGATIVE_INFINITY;
  #lastNowAt = 0;

  constructor(wall: () => number, monotonic: () => number) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#others = new FollowedTime(monotonic);
  }

  now(): Millis {
    const at = this.#monotonic();
    const elapsed = at - this.#lastNowAt;
    const wall = this.#exactWall();
    const set = wall + this.#ahead - (this.#lastNow + elapsed);
    if (set < -settingMsMin) this.#ahead -= set;
    else if (set > settingMsMin) this.#ahead = Math.max(0, this.#ahead - set);
    if (this.#ahead > aheadMsMax) this.#goBack();
    this.#ahead = Math.max(0, this.#ahead - elapsed * catchUpShare);
    this.#lastNow = Math.max(this.#lastNow, Math.floor(wall + this.#ahead));
    this.#lastNowAt = at;
    return this.#lastNow as Millis;
  }

  /** Uses the followed clock if there is one, so that all nodes agree. */
  wall(): Millis {
    return Math.floor(this.#exactWall()) as Millis;
  }

  /**
   * After a restart with a corrected clock, the lines of streams that a fast clock has written would stand still until the
   * clock has caught up. Streams that are further ahead than `aheadMsMax` use their own time instead (CK3).
   */
  reach(at: Millis): void {
    const behind = at - this.now();
    if (behind <= 0 || this.#ahead + behind > aheadMsMax) return;
    this.#ahead += behind;
    this.#lastNow = at;
  }

  /** From now on, time follows that clock instead of this machine's. */
  follow(at: Millis): void {
    this.#others.addSample(at);
  }

  #exactWall(): number {
    return this.#others.now() ?? this.#wall();
  }

  /** CK2: the clock was wrong by more than a day. */
  #goBack(): void {
    this.#ahead = 0;
    this.#lastNow = Number.NEGATIVE_INFINITY;
  }
}

/** Number of latest answers to compare. */
const samplesMax = 16;

/**
 * Estimates a remote clock between its answers. Each answer is late by its time on the network, so no estimate is ever ahead,
 * and the quickest of the latest answers is the most accurate.
 */
class FollowedTime {
  readonly #monotonic: () => number;
  /** For each answer, its time minus the time at which it arrived. */
  readonly #offsets: number[] = [];
  #offset = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  addSample(at: Millis): void {
    this.#offsets.push(at - this.#monotonic());
    if (this.#offsets.length > samplesMax) this.#offsets.shift();
    this.#offset = Math.max(...this.#offsets);
  }

  /** Undefined until the first answer. */
  now(): number | undefined {
    return this.#offsets.length > 0 ? this.#monotonic() + this.#offset : undefined;
  }
}

/** The clock of this machine, until `follow` gives it another one. Each server needs its own. */
export function newSystemClock(): Clock {
  const time = new SteadyTime(Date.now, () => performance.now());
  return {
    now: () => time.now(),
    wall: () => time.wall(),
    reach: (at) => time.reach(at),
    follow: (at) => time.follow(at),
    elapsed: () => performance.now(),
    soon: (run) => void setImmediate(run),
    after(ms, run) {
      const timer = setTimeout(run, Math.min(Math.max(ms, 0), timerMsMax));
      return { cancel: () => clearTimeout(timer) };
    },
  };
}

/** Resolves with the result of `work`, or with `otherwise` after a timeout. */
export async function inTime<T>(
  clock: Pick<Clock, "after">,
  ms: number,
  work: Promise<T>,
  otherwise: T,
): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<T>((resolve) => {
    timer = clock.after(ms, () => resolve(otherwise));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
}

/** Lets concurrent callers share one call of `ask`. */
export function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

export const systemClock: Clock = newSystemClock();
