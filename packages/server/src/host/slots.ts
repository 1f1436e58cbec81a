/** So many at once. The others wait until it is their turn: first come, first served. */
export class Slots {
  #free: number;
  #isClosed = false;
  #waiting: ((isTaken: boolean) => void)[] = [];
  /** Where the queue begins: with a hundred thousand that wait, `shift` would move all of them each time. */
  #next = 0;

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
    const next = this.#waiting[this.#next];
    // Handed on rather than freed: whoever came just now would be served before those who wait.
    if (!next) {
      this.#free++;
      return;
    }
    this.#next++;
    if (this.#next > 1_000 && this.#next * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    next(true);
  }

  close(): void {
    this.#isClosed = true;
    const waiting = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    for (const resolve of waiting) resolve(false);
  }
}
