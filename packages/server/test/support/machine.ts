import { type Clock, newSystemClock, SteadyTime } from "../../src/clock.ts";

/** A machine whose clock somebody sets; each process on it has a time of its own, as after a restart. */
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
