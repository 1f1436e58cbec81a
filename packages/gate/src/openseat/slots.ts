import { OpenseatAway } from "./failures.ts";
import type { Runtime } from "./runtime.ts";

/** At most `runningMax` calls at once, and at most `waitingMax` that wait for one of them to end. */
export class Slots {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runningMax: number, waitingMax: number, { isPerRequest }: Runtime) {
    // There, a call that is stopped would never return its slot, and the platform has its own limit.
    this.#runningMax = isPerRequest ? Number.POSITIVE_INFINITY : runningMax;
    this.#waitingMax = waitingMax;
  }

  get isFull(): boolean {
    return this.#running >= this.#runningMax;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isFull) this.#running++;
    else if (this.#waiting.length >= this.#waitingMax)
      throw new OpenseatAway("Too many calls to Openseat wait.");
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The slot passes to the next in line, if there is one.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
