import type { Clock } from "../clock.ts";

interface SmsBudgetOptions {
  readonly clock: Pick<Clock, "elapsed">;
  readonly perHourMax: number;
  /** Called for each delayed message; `isFirst` once per hour. */
  readonly onHeld: (isFirst: boolean) => void;
}

const hourMs = 60 * 60_000;

/** LM6: limits text messages per hour in total, because each costs money. The rest waits for the next hour. */
export class SmsBudget {
  readonly #options: SmsBudgetOptions;
  #since = Number.NEGATIVE_INFINITY;
  #sent = 0;
  #isHeld = false;

  constructor(options: SmsBudgetOptions) {
    this.#options = options;
  }

  /** The delay for one more message. Undefined if it may be sent now; then it counts. */
  take(): number | undefined {
    const { clock, perHourMax, onHeld } = this.#options;
    const now = clock.elapsed();
    if (now - this.#since >= hourMs) {
      this.#since = now;
      this.#sent = 0;
      this.#isHeld = false;
    }
    if (this.#sent < perHourMax) {
      this.#sent++;
      return undefined;
    }
    onHeld(!this.#isHeld);
    this.#isHeld = true;
    return this.#since + hourMs - now;
  }

  giveBack(): void {
    this.#sent = Math.max(0, this.#sent - 1);
  }
}
