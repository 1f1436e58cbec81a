import { assert, type Millis } from "../../values.ts";

/** Parts per token. A rate with three decimals then adds a whole number of parts each millisecond (AD2). */
const partsPerToken = 1_000_000;

export interface BucketTerms {
  /** Tokens per second, with at most three decimals; null for no limit. */
  readonly ratePerSecond: number | null;
  readonly burst: number;
}

/**
 * A token bucket for admissions. It counts whole parts, so no rounding error adds up. It never holds more than
 * `burst`, and only an admission takes a token.
 */
export class Bucket {
  readonly #terms: BucketTerms;
  #deps: number;
  /** The time for which the parts are valid. */
  #at: Millis;

  constructor(terms: BucketTerms, at: Millis, parts = terms.burst * partsPerToken) {
    this.#terms = terms;
    const { ratePerSecond, burst } = terms;
    // A burst below one would never give a token but always be due, so its host would wake it in a loop.
    assert(burst >= 1 && Number.isSafeInteger(burst * partsPerToken), "a burst outside its bounds");
    const isRate =
      ratePerSecond === null || (this.#depsPerMs() >= 1 && Number.isSafeInteger(this.#depsPerMs()));
    assert(isRate, "a rate outside its bounds");
    this.#deps = parts;
    this.#at = at;
  }

  /** Whole tokens available at `now`. */
  tokens(now: Millis): number {
    if (this.#terms.ratePerSecond === null) return Number.POSITIVE_INFINITY;
    return Math.floor(this.#depsAt(now) / partsPerToken);
  }

  /** When the next whole token is available. */
  nextTokenAt(): Millis {
    const missing = partsPerToken - this.#deps;
    return (missing <= 0 ? this.#at : this.#at + Math.ceil(missing / this.#depsPerMs())) as Millis;
  }

  take(tokens: number, now: Millis): void {
    if (this.#terms.ratePerSecond === null) return;
    assert(tokens <= this.tokens(now), "more admissions than the rate allows");
    this.#deps = this.#depsAt(now) - tokens * partsPerToken;
    this.#at = now;
  }

  /** Changes the terms. Saved tokens stay, up to the new burst. */
  changed(terms: BucketTerms, now: Millis): Bucket {
    const kept = this.#terms.ratePerSecond === null ? this.#deps : this.#depsAt(now);
    return new Bucket(terms, now, Math.min(kept, terms.burst * partsPerToken));
  }

  save(): { readonly parts: number; readonly at: Millis } {
    return { parts: this.#deps, at: this.#at };
  }

  #depsAt(now: Millis): number {
    const full = this.#terms.burst * partsPerToken;
    const elapsed = Math.max(0, now - this.#at);
    // Check this first: after a long silence the product would exceed the largest exact integer.
    if (elapsed >= (full - this.#deps) / this.#depsPerMs()) return full;
    return this.#deps + elapsed * this.#depsPerMs();
  }

  #depsPerMs(): number {
    return Math.round(this.#terms.ratePerSecond! * 1000);
  }
}
