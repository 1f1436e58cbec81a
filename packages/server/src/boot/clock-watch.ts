import type { Clock, Timer } from "../clock.ts";
import type { Logger } from "../logger.ts";

const checkMs = 1_000;
/** Smaller corrections happen on any machine from time to time. */
const offsetMsMax = 5_000;

/** CK4: warns once each time the clock is set back, because end times that people chose then come early. */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #logger: Pick<Logger, "info" | "warn">;
  #timer: Timer | undefined;
  #isAhead = false;
  #checked: { readonly now: number; readonly at: number };

  constructor(clock: Clock, logger: Pick<Logger, "info" | "warn">) {
    this.#clock = clock;
    this.#logger = logger;
    this.#checked = { now: clock.now(), at: clock.elapsed() };
  }

  start(): void {
    this.#timer = this.#clock.after(checkMs, () => {
      this.#check();
      this.start();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #check(): void {
    const now = this.#clock.now();
    const at = this.#clock.elapsed();
    const aheadMs = aheadOfWall(this.#clock);
    const backMs = this.#checked.now + (at - this.#checked.at) - now;
    this.#checked = { now, at };
    if (backMs > offsetMsMax) {
      const text =
        "the clock was set back, and the server's time with it: rooms used meanwhile keep their own time";
      this.#logger.warn({ backMs: Math.round(backMs) }, text);
    }
    const isAhead = aheadMs > offsetMsMax;
    if (isAhead && !this.#isAhead) {
      const text =
        "the server's time is ahead of the clock, and runs a tenth slower until the clock has caught up";
      this.#logger.warn({ aheadMs }, text);
    }
    if (!isAhead && this.#isAhead) this.#logger.info("the server's time is that of the clock again");
    this.#isAhead = isAhead;
  }
}

/** How far the server's time is ahead of the wall clock. */
export function aheadOfWall(clock: Pick<Clock, "now" | "wall">): number {
  return clock.now() - clock.wall();
}
