import type { Decider, Millis } from "@openseat/kernel";
import type { Surroundings } from "./mailbox.ts";
import type { StreamMemory } from "./stream-memory.ts";
import type { StreamState } from "./stream-state.ts";
import { StreamTime } from "./stream-time.ts";

export class StreamClock<State, Command, Event> {
  readonly #decider: Decider<State, Command, Event>;
  readonly #memory: StreamMemory<State, Command, Event>;
  readonly #surroundings: Surroundings;
  readonly #time: StreamTime;
  /** The newest entry that was decided here, and when (`clock.elapsed`). */
  #decidedVersion = 0;
  #decidedAt = 0;
  /** The loaded version, if its clock must restart. Stored, because it cannot be determined after the clock is set back. */
  #stoppedVersion: number | undefined;

  constructor(
    decider: Decider<State, Command, Event>,
    memory: StreamMemory<State, Command, Event>,
    surroundings: Surroundings,
  ) {
    this.#decider = decider;
    this.#memory = memory;
    this.#surroundings = surroundings;
    this.#time = new StreamTime(surroundings.clock);
  }

  timeAt(now: Millis): Millis {
    const { loaded } = this.#memory;
    return loaded ? this.#time.at(now, loaded.at) : now;
  }

  isDue(now: Millis): boolean {
    return this.wantsToWakeBy(this.timeAt(now));
  }

  wantsToWakeBy(time: Millis): boolean {
    const state = this.#memory.loaded?.state;
    const due = state === undefined ? undefined : this.#decider.nextDue(state);
    return due !== undefined && due <= time;
  }

  /** When the stream's own time reaches `due`, by the clock. */
  byClock(due: Millis, now: Millis): Millis {
    return this.#time.byClock(due, now, this.#memory.loaded!.at);
  }

  get isRunning(): boolean {
    const state = this.#memory.loaded?.state;
    return state !== undefined && this.#decider.clock?.isRunning(state) === true;
  }

  /** If loading restarts the clock of a stream that is ahead, the stream must stay in memory, or its turns would never end. */
  get mustStay(): boolean {
    const isAhead = this.#memory.aheadVersion !== undefined;
    return isAhead && this.#surroundings.membership.readingRestarts && this.isRunning;
  }

  /** Whether time has passed in which people could not act. */
  isToRestart({ state, at, version }: StreamState<State>, now: Millis): boolean {
    if (state === undefined || this.#decider.clock === undefined) return false;
    const { membership } = this.#surroundings;
    const isInterrupted = membership.isInterruptedSince({
      // A stream that is ahead has its own time (CK3), but outages are dated by the clock.
      at: this.#time.byClock(at, now, at),
      unreadableUntil: this.#memory.unreadableUntil(now),
      isAhead: version === this.#memory.aheadVersion,
      wasStopped: version === this.#stoppedVersion,
    });
    // Compare elapsed time: if the clock was set back since, an entry decided before the outage may be dated after it.
    return isInterrupted || (version <= this.#decidedVersion && this.#decidedAt < membership.interruptedAt);
  }

  /**
   * AR9: this node may learn only with its next heartbeat that an outage stopped the clock. An entry written before that would
   * be newer than the outage, so no node would restart the clock.
   */
  isHeldBack(now: Millis): boolean {
    if (this.#decider.clock === undefined || this.#surroundings.membership.isCurrent) return false;
    return this.isDue(now) || this.isRunning;
  }

  noteRead(): void {
    const loaded = this.#memory.loaded!;
    const isStopped = this.isToRestart(loaded, this.#surroundings.clock.now());
    this.#stoppedVersion = isStopped ? loaded.version : undefined;
  }

  noteDecided(version: number): void {
    this.#decidedVersion = version;
    this.#decidedAt = this.#surroundings.clock.elapsed();
  }
}
