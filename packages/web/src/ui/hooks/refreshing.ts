/** When something runs, and how it is stopped. */
export interface Timing {
  now(): number;
  after(ms: number, run: () => void): () => void;
}

/**
 * Asks again when something has changed, at most once in a while, and never twice at once. What changes while it is
 * asking is asked for afterwards: an answer that was on its way may not know of it.
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

  /** `ask` is not to reject. */
  constructor(ask: () => Promise<void>, everyMs: number, timing: Timing) {
    this.#ask = ask;
    this.#everyMs = everyMs;
    this.#timing = timing;
  }

  /** Something has changed. */
  want(): void {
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
