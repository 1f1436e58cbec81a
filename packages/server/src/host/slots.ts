/** So many at once. The others wait until it is their turn: first come, first served. */
export class Slots {
  #free: number;
  #isClosed = false;
  readonly #waiting: ((isTaken: boolean) => void)[] = [];

  constructor(free: number) {
    this.#free = free;
  }

  /** False when nobody gets one any more. */
  take(): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free--;
    return Promise.resolve(true);
  }

  release(): void {
    const next = this.#waiting.shift();
    // Handed on rather than freed: whoever came just now would be served before those who wait.
    if (next) next(true);
    else this.#free++;
  }

  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }
}
