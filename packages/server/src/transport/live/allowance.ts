const burstSeconds = 5;

/** A token bucket that can be overdrawn, because messages that have been read must be handled. */
export class Allowance {
  readonly #burst: number;
  readonly #perMs: number;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, now: number) {
    this.#burst = perSecond * burstSeconds;
    this.#perMs = perSecond / 1000;
    this.#tokens = this.#burst;
    this.#at = now;
  }

  /** Takes a token. Returns the milliseconds until the balance is positive again, or 0. */
  spend(now: number): number {
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }
}
