import type { Clock } from "../clock.ts";
import { FairFifo } from "./fair-fifo.ts";

/**
 * LM10: runs long work, such as an export, in slices of a few milliseconds. Slices run in separate iterations of the event
 * loop, so a hundred jobs delay other requests, and fill the log's queue, no more than one does.
 */
export class TimeSlices {
  readonly #clock: Pick<Clock, "soon">;
  readonly #waiting = new FairFifo<() => Promise<void>>();
  #isRunning = false;

  constructor(clock: Pick<Clock, "soon">) {
    this.#clock = clock;
  }

  /** Runs the slice in a later iteration. Sources, such as addresses, are served round-robin; jobs of one source run in order. */
  run<Result>(slice: () => Result | Promise<Result>, source = ""): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = async () => {
        try {
          resolve(await slice());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push(source, run);
      this.#runSoon();
    });
  }

  #runSoon(): void {
    if (this.#isRunning || this.#waiting.isEmpty) return;
    this.#isRunning = true;
    this.#clock.soon(async () => {
      await this.#waiting.shift()!();
      this.#isRunning = false;
      this.#runSoon();
    });
  }
}
