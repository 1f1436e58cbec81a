import type { Millis } from "@openseat/kernel";
import type { Clock, Timer } from "../../src/clock.ts";
import { waitMsMax } from "./patience.ts";

interface Waiting {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that stands still until it is told to go on. */
export class TestClock implements Clock {
  #now: number;
  /** What timers run on: setting the clock moves `now`, never this. */
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

  /** Lets time pass; timers run in their order, each at its time, and what they start gets its turn. */
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

  /** Someone sets the clock: no timer notices. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** The process stands still: time passes, and timers ring late, with the next `advance`. */
  stall(ms: number): void {
    this.#pass(ms);
  }

  #pass(ms: number): void {
    this.#elapsed += ms;
    this.#now += ms;
  }
}

/** Lets all that can happen without time or disk happen. */
export async function turns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** Waits for what another thread or process does; fails loudly rather than hang. */
export async function until(condition: () => boolean, what: string, withinMs = waitMsMax): Promise<void> {
  const end = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`Waited ${withinMs} ms in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A promise whose state can be looked at. */
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

/** The answer, or a failure that says that none came. */
export async function answered<T>(promise: Promise<T>, what = "an answer"): Promise<T> {
  const seen = watched(promise);
  for (let round = 0; round < 500 && !seen.settled; round++) await turns(4);
  if (!seen.settled) throw new Error(`Waited in vain for ${what}.`);
  return promise;
}
