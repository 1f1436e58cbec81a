import type { Millis } from "@openseat/kernel";
import type { Clock, Timer } from "../../src/clock.ts";
import { waitMsMax } from "./patience.ts";

interface Waiting {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that only moves when the test advances it. */
export class TestClock implements Clock {
  #now: number;
  /** The time of timers: setting the clock moves `now`, never this. */
  #elapsed = 0;
  readonly #timers = new Set<Waiting>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): Millis {
    return this.#now as Millis;
  }

  wall(): Millis {
    return this.#now as Millis;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  after(ms: number, run: () => void): Timer {
    const timer = { at: this.#elapsed + Math.max(0, ms), run };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** Timers that have not run yet. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Lets time pass. Timers run in order, each at its time, followed by the work that they start. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#pass(Math.max(0, next.at - this.#elapsed));
      next.run();
      await turns();
    }
    this.#pass(end - this.#elapsed);
    await turns();
  }

  /** Sets the clock without affecting timers. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Simulates a suspended process: time passes, and timers run late, with the next `advance`. */
  stall(ms: number): void {
    this.#pass(ms);
  }

  #pass(ms: number): void {
    this.#elapsed += ms;
    this.#now += ms;
  }
}

/** Runs everything that can happen without time or disk. */
export async function turns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** Waits for another thread or process, and fails with a message instead of hanging. */
export async function until(condition: () => boolean, what: string, withinMs = waitMsMax): Promise<void> {
  const end = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`Waited ${withinMs} ms in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A promise whose state can be inspected. */
export function watched<T>(promise: Promise<T>): { readonly settled: boolean; readonly promise: Promise<T> } {
  const seen = { settled: false, promise };
  promise.then(
    () => {
      seen.settled = true;
    },
    () => {
      seen.settled = true;
    },
  );
  return seen;
}

/** The answer, or an error if there was none. */
export async function answered<T>(promise: Promise<T>, what = "an answer"): Promise<T> {
  const seen = watched(promise);
  for (let round = 0; round < 500 && !seen.settled; round++) await turns(4);
  if (!seen.settled) throw new Error(`Waited in vain for ${what}.`);
  return promise;
}
