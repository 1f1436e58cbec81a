import { type Clock, systemClock } from "../../src/platform.ts";

/** Real time with shortened pauses, so that tests of reconnects are fast. */
export const hastyClock: Clock = {
  now: systemClock.now,
  after: (ms, run) => systemClock.after(ms < 10_000 ? ms / 50 : ms, run),
};

/** A clock that moves only when a test advances it. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer fires. */
  get nextInMs(): number {
    return Math.min(...[...this.#timers].map(({ at }) => at)) - this.#now;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}
