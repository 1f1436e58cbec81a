import { Fifo } from "../scheduling/fifo.ts";

/** A fixed number of permits. Further callers wait in FIFO order. */
export class Slots {
  #free: number;
  #isClosed = false;
  readonly #waiting = new Fifo<(isTaken: boolean) => void>();

  constructor(free: number) {
    this.#free = free;
  }

  take(): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free--;
    return Promise.resolve(true);
  }

  release(): void {
    const next = this.#waiting.shift();
    // Hand the permit on instead of freeing it: a caller that arrives now must not overtake the waiting ones.
    if (next) next(true);
    else this.#free++;
  }

  close(): void {
    this.#isClosed = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next(false);
  }
}
