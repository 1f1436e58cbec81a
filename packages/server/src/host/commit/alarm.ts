import type { Millis } from "@openseat/kernel";
import type { Clock, Timer } from "../../clock.ts";

/** Timers run at most this long, because the clock may be set meanwhile. */
const checkMsMax = 60_000;

export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at: Millis | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  setFor(at: Millis | undefined): void {
    if (at === undefined || (this.#at !== undefined && this.#at <= at)) return;
    this.stop();
    this.#at = at;
    this.#timer = this.#clock.after(Math.min(at - this.#clock.now(), checkMsMax), () => {
      this.stop();
      // Ring even if it is early: if the clock was set back, other streams may be due before `at`.
      this.#ring();
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#at = undefined;
  }
}
