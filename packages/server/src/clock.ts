import type { Millis } from "@openseat/kernel";

export interface Timer {
  cancel(): void;
}

/** Time as the host sees it. The simulator gives its own, so that a whole day can pass in a test. */
export interface Clock {
  /** The server's time: it does not go back when the clock is corrected, and may be ahead of the wall's for a while (CK1). */
  now(): Millis;
  /** What the wall clock says, however often it is set: for times that others have chosen, such as the expiry of a token. */
  wall(): Millis;
  /** A stream was left at this time: from now on it is not earlier than that. */
  reach?(at: Millis): void;
  /**
   * It was this time just now by the clock that all nodes go by. To be called with each answer that tells it, and once before
   * anything is decided: two machines whose clocks differ would otherwise end each other's turns.
   */
  follow?(at: Millis): void;
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
/** Further ahead than this, end times that people choose would be of no use: then time goes back to the wall clock's. */
export const aheadMsMax = 24 * 60 * 60 * 1000;
/** Of the time that passes, this part makes up for being ahead: lines move a tenth slower meanwhile, and never stop. */
export const catchUpShare = 0.1;

/**
 * CK1: wall time that does not go back when the clock is corrected. Otherwise every line would stop until the clock has caught up:
 * no token, no claim that runs out. Here time goes on from where it was, a tenth slower, until the wall clock has caught up.
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

  /** By the clock that is followed, where there is one: then all nodes agree on it. */
  wall(): Millis {
    return Math.floor(this.#exactWall()) as Millis;
  }

  /**
   * For what a clock that ran ahead has written: after a restart with the clock set right, its lines would stand still
   * until the clock has caught up. What is further ahead is not followed: such a stream goes by its own time (CK3).
   */
  reach(at: Millis): void {
    const behind = at - this.now();
    if (behind <= 0 || this.#ahead + behind > aheadMsMax) return;
    this.#ahead += behind;
    this.#lastNow = at;
  }

  /** From now on it goes by a clock elsewhere, and by this machine's no more. */
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

/** So many of the latest answers are compared. */
const samplesMax = 16;

/**
 * The time of a clock elsewhere, between its answers. Each answer was some time on its way, and is late by that; the one of the
 * latest that was quickest is the nearest to the truth, and none is ever ahead of it.
 */
class FollowedTime {
  readonly #monotonic: () => number;
  /** What each answer said, less the time that it came at. */
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

  /** Undefined as long as nothing was heard. */
  now(): number | undefined {
    return this.#offsets.length > 0 ? this.#monotonic() + this.#offset : undefined;
  }
}

/** The clock of this machine, until it is given another to follow: one for each server. */
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

/** What `work` comes to, or `otherwise` when that takes too long. */
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

/** Shares one call of `ask` among all who want its result while it is under way. */
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
