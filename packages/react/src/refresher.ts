/** Runs a read at once, but never two at the same time and not more often than this: a busy room changes all the time. */
export class Refresher {
  readonly #read: () => Promise<void>;
  readonly #everyMs: number;
  #isReading = false;
  #isWanted = false;
  #isStopped = false;

  constructor(read: () => Promise<void>, everyMs: number) {
    this.#read = read;
    this.#everyMs = everyMs;
  }

  readonly request = (): void => {
    this.#isWanted = true;
    if (!this.#isReading) void this.#run();
  };

  stop(): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    this.#isReading = true;
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      await this.#read();
      await new Promise((resolve) => setTimeout(resolve, this.#everyMs));
    }
    this.#isReading = false;
  }
}
