/** A clock with timers; tests bring their own. */
export interface Timing {
  now(): number;
  after(ms: number, run: () => void): () => void;
}

/**
 * Repeats a request after changes, at most once per interval and never twice at once. A change during a request
 * triggers another one afterwards, because the pending answer may not include it.
 */
export class Refresher {
  readonly #ask: () => Promise<void>;
  readonly #everyMs: number;
  readonly #timing: Timing;
  #startedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #isDue = false;
  #isOver = false;
  #cancel: (() => void) | undefined;

  /** `ask` must not reject. */
  constructor(ask: () => Promise<void>, everyMs: number, timing: Timing) {
    this.#ask = ask;
    this.#everyMs = everyMs;
    this.#timing = timing;
  }

  /** Requests a refresh after a change. */
  request(): void {
    this.#isDue = true;
    this.#next();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #next(): void {
    if (!this.#isDue || this.#isAsking || this.#isOver || this.#cancel) return;
    const waitMs = this.#startedAt + this.#everyMs - this.#timing.now();
    if (waitMs > 0) {
      this.#cancel = this.#timing.after(waitMs, () => {
        this.#cancel = undefined;
        this.#next();
      });
      return;
    }
    this.#isDue = false;
    this.#isAsking = true;
    this.#startedAt = this.#timing.now();
    void this.#ask().then(() => {
      this.#isAsking = false;
      this.#next();
    });
  }
}
