import type { Millis } from "../../values.ts";

const seconds = 600;

/** Admissions in each of the last 600 seconds, for estimates and statistics. */
export class Pace {
  readonly #counts: Uint32Array;
  /** The newest second that is counted. */
  #second: number;
  /** Sums by span, cached for one second: a crowd asks for the same sums within it. */
  readonly #sums = new Map<number, number>();
  #summedAt = -1;

  constructor(counts = new Uint32Array(seconds), second = 0) {
    this.#counts = counts;
    this.#second = second;
  }

  add(admissions: number, at: Millis): void {
    const second = secondOf(at);
    const stale = Math.min(seconds, second - this.#second);
    for (let age = 0; age < stale; age++) this.#counts[(second - age) % seconds] = 0;
    this.#second = second;
    this.#counts[second % seconds] += admissions;
    this.#summedAt = -1;
  }

  /** Admissions within the last `span` seconds, including the current one. */
  within(span: number, now: Millis): number {
    const last = secondOf(now);
    if (this.#summedAt !== last) {
      this.#sums.clear();
      this.#summedAt = last;
    }
    const known = this.#sums.get(span);
    if (known !== undefined) return known;
    const first = Math.max(last - Math.min(span, seconds) + 1, this.#second - seconds + 1, 0);
    let sum = 0;
    for (let second = first; second <= this.#second; second++) sum += this.#counts[second % seconds];
    this.#sums.set(span, sum);
    return sum;
  }

  save(): { readonly counts: Uint32Array; readonly second: number } {
    return { counts: this.#counts.slice(), second: this.#second };
  }
}

function secondOf(at: Millis): number {
  return Math.floor(at / 1000);
}
