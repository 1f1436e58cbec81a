import { type Clock, newSystemClock, SteadyTime } from "../../src/clock.ts";

/** A machine whose clock the test sets. Each process on it has its own time, as after a restart. */
export class Machine {
  #setMs = 0;

  set(byMs: number): void {
    this.#setMs += byMs;
  }

  boot(): Clock {
    const time = new SteadyTime(
      () => Date.now() + this.#setMs,
      () => performance.now(),
    );
    return {
      ...newSystemClock(),
      now: () => time.now(),
      wall: () => time.wall(),
      reach: (at) => time.reach(at),
      follow: (at) => time.follow(at),
    };
  }
}
