import type { Decider, Millis } from "@openseat/kernel";
import type { Clock } from "../../clock.ts";
import type { Membership } from "../cluster/membership.ts";
import type { StreamMemory } from "./stream-memory.ts";
import type { StreamState } from "./stream-state.ts";
import { StreamTime } from "./stream-time.ts";

interface Surroundings {
  readonly clock: Clock;
  readonly membership: Membership;
}

/** What the time is in one stream, whether it is due, and whether its clock has to restart because nobody could act. */
export class StreamClock<State, Command, Event> {
  readonly #decider: Decider<State, Command, Event>;
  readonly #memory: StreamMemory<State, Command, Event>;
  readonly #surroundings: Surroundings;
  readonly #time: StreamTime;
  /** The newest entry that was decided here, and when that was, by `clock.elapsed`. */
  #decidedVersion = 0;
  #decidedAt = 0;
  /** The version that was read, if its clock is to restart: once the clock is set back, that cannot be told any more. */
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

  /** CK3: what the time is in this stream. */
  timeAt(now: Millis): Millis {
    const { loaded } = this.#memory;
    return loaded ? this.#time.at(now, loaded.at) : now;
  }

  /** Whether the stream wanted to be woken by now. */
  isDue(now: Millis): boolean {
    return this.wantsToWakeBy(this.timeAt(now));
  }

  /** The same, by the stream's own time. */
  wantsToWakeBy(time: Millis): boolean {
    const state = this.#memory.loaded?.state;
    const due = state === undefined ? undefined : this.#decider.nextDue(state);
    return due !== undefined && due <= time;
  }

  /** When the stream's own time `due` will be, by the clock. */
  byClock(due: Millis, now: Millis): Millis {
    return this.#time.byClock(due, now, this.#memory.loaded!.at);
  }

  /** Whether somebody's time runs in the state in memory. */
  get isRunning(): boolean {
    const state = this.#memory.loaded?.state;
    return state !== undefined && this.#decider.clock?.isRunning(state) === true;
  }

  /** Where reading restarts the clock of a stream that is ahead, it stays in memory: read again and again, its turn would never end. */
  get mustStay(): boolean {
    const isAhead = this.#memory.aheadVersion !== undefined;
    return isAhead && this.#surroundings.membership.readingRestarts && this.isRunning;
  }

  /** Whether time has passed that nobody could use. */
  isToRestart({ state, at, version }: StreamState<State>, now: Millis): boolean {
    if (state === undefined || this.#decider.clock === undefined) return false;
    const { membership } = this.#surroundings;
    const isInterrupted = membership.isInterruptedSince({
      // A stream that is ahead dates its entries by its own time (CK3), and outages are dated by the clock.
      at: this.#time.byClock(at, now, at),
      unreadableUntil: this.#memory.unreadableUntil(now),
      isAhead: version === this.#memory.aheadVersion,
      wasStopped: version === this.#stoppedVersion,
    });
    // If the clock was set back since, the entry may be dated after the outage. What was decided here is compared by elapsed time.
    return isInterrupted || (version <= this.#decidedVersion && this.#decidedAt < membership.interruptedAt);
  }

  /**
   * AR9: an outage may have stopped its clock, which this node learns with its next heartbeat. An entry written before that would be
   * newer than the outage, and no node would restart the clock any more.
   */
  isHeldBack(now: Millis): boolean {
    if (this.#decider.clock === undefined || this.#surroundings.membership.isCurrent) return false;
    return this.isDue(now) || this.isRunning;
  }

  /** The state was read from the log. */
  noteRead(): void {
    const loaded = this.#memory.loaded!;
    const isStopped = this.isToRestart(loaded, this.#surroundings.clock.now());
    this.#stoppedVersion = isStopped ? loaded.version : undefined;
  }

  /** An entry of this version was decided here. */
  noteDecided(version: number): void {
    this.#decidedVersion = version;
    this.#decidedAt = this.#surroundings.clock.elapsed();
  }
}
