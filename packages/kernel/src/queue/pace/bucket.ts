import { assert, type Millis } from "../../values.ts";

/** A token is so many parts: a rate of three decimals then adds a whole number of them each millisecond (AD2). */
const partsPerToken = 1_000_000;

export interface BucketTerms {
  /** Tokens a second, of at most three decimals; null for as many as are asked for. */
  readonly ratePerSecond: number | null;
  readonly burst: number;
}

/**
 * Tokens for admissions: counted in whole parts, so that nothing is rounded and nothing is lost. It never holds more
 * than `burst`, and only an admission takes one out.
 */
export class Bucket {
  readonly #terms: BucketTerms;
  #deps: number;
  /** The time that `#deps` is true of. */
  #at: Millis;

  constructor(terms: BucketTerms, at: Millis, parts = terms.burst * partsPerToken) {
    this.#terms = terms;
    const { ratePerSecond, burst } = terms;
    // With less than one, it would be due for ever and never give a token: its host would wake it without end.
    assert(
      burst >= 1 && Number.isSafeInteger(burst * partsPerToken),
      "a bucket of no tokens, or of too many",
    );
    const isRate =
      ratePerSecond === null || (this.#depsPerMs() >= 1 && Number.isSafeInteger(this.#depsPerMs()));
    assert(isRate, "a rate that brings no tokens, or too many");
    this.#deps = parts;
    this.#at = at;
  }

  /** Whole tokens there at `now`. */
  tokens(now: Millis): number {
    if (this.#terms.ratePerSecond === null) return Number.POSITIVE_INFINITY;
    return Math.floor(this.#depsAt(now) / partsPerToken);
  }

  /** When there will be a whole token. */
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

  /** Under other terms from now on. What has been saved up stays, up to the new burst. */
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
    // Asked first: after a year's silence the product would be past what a number holds exactly.
    if (elapsed >= (full - this.#deps) / this.#depsPerMs()) return full;
    return this.#deps + elapsed * this.#depsPerMs();
  }

  #depsPerMs(): number {
    return Math.round(this.#terms.ratePerSecond! * 1000);
  }
}
