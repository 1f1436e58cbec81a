/** An event loop that a test runs step by step. */
export class HandLoop {
  #queue: (() => void)[] = [];

  soon(run: () => void): void {
    this.#queue.push(run);
  }

  /** Returns false if nothing was waiting. */
  async turn(): Promise<boolean> {
    const queue = this.#queue;
    this.#queue = [];
    for (const run of queue) run();
    await new Promise(setImmediate);
    return queue.length > 0;
  }
}
