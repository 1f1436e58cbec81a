import type { Clock } from "./clock.ts";

/**
 * LM10: long work, such as an export, runs in slices of a few milliseconds. One slice runs at a time, each in a turn of the
 * event loop of its own, so that a hundred jobs delay other requests, and fill the queue of the log, no more than one does.
 */
export class TimeSlices {
  readonly #clock: Pick<Clock, "soon">;
  readonly #waiting: (() => Promise<void>)[] = [];

  constructor(clock: Pick<Clock, "soon">) {
    this.#clock = clock;
  }

  /** Runs the slice in a later turn of the event loop; jobs take turns in the order in which they ask. */
  run<Result>(slice: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = async () => {
        try {
          resolve(await slice());
        } catch (error) {
          reject(error);
        }
      };
      if (this.#waiting.push(run) === 1) this.#runSoon();
    });
  }

  #runSoon(): void {
    this.#clock.soon(async () => {
      await this.#waiting[0]();
      this.#waiting.shift();
      if (this.#waiting.length > 0) this.#runSoon();
    });
  }
}
