import type { Decider, Millis } from "@openseat/kernel";
import { type LeaseContext, LeaseRun } from "./lease-run.ts";

/** Who is present in one stream. It is kept in memory only (LS3), so a reloaded state starts with full windows (LS4). */
export class StreamPresence<State, Command> {
  readonly #rules: Decider<State, Command, unknown>["presence"];
  readonly #surroundings: Omit<LeaseContext<State>, "state">;
  readonly #state: () => State | undefined;
  /** One per lease. Empty if places in this stream can never expire, as far as is known. */
  runs: readonly LeaseRun<State, Command>[];

  constructor(
    rules: Decider<State, Command, unknown>["presence"],
    surroundings: Omit<LeaseContext<State>, "state">,
    state: () => State | undefined,
  ) {
    this.#rules = rules;
    this.#surroundings = surroundings;
    this.#state = state;
    this.runs = this.#newRuns();
  }

  #newRuns(): LeaseRun<State, Command>[] {
    if (!this.#rules) return [];
    const context = { ...this.#surroundings, state: this.#state };
    return this.#rules.leases.map((lease) => new LeaseRun(lease, context));
  }

  get mayBeNeeded(): boolean {
    return this.runs.length > 0;
  }

  /** Windows run here. Out of memory, the stream would not notice silent places. */
  get isRunning(): boolean {
    return this.runs.some(({ isRunning }) => isRunning);
  }

  /** It is not decided yet which places are silent or back. */
  get isUnsettled(): boolean {
    return this.runs.some(({ isUnsettled }) => isUnsettled);
  }

  /** Stored in the listing, so that streams with leases can be found after a start without loading them. */
  isNeededFor(state: State): boolean {
    return this.runs.some(({ lease }) => lease.windowMs(state) !== undefined);
  }

  /** Whether some place has returned or has been silent for too long, as far as is known. */
  hasNews(state: State, now: Millis): boolean {
    // Call every run: the call also settles windows in which nobody is silent.
    return this.runs.map((run) => run.next(state, now)).some((command) => command !== undefined);
  }

  /** Records a heartbeat at once: a decision a moment later must count it. */
  noteHeartbeat(ticket: number): void {
    for (const run of this.runs) run.noteHeartbeat(ticket);
  }

  presentSince(ticket: number): Millis | undefined {
    const times = this.runs.flatMap((run) => run.presentSince(ticket) ?? []);
    return times.length > 0 ? (Math.max(...times) as Millis) : undefined;
  }

  /** Gives everybody a full fresh window, if this node manages the leases. */
  begin(): void {
    this.end();
    this.follow();
  }

  end(): void {
    for (const run of this.runs) run.stop();
  }

  follow(): void {
    const state = this.#state();
    if (!this.#rules || state === undefined) return;
    // Check this each time: if the log went back, it may be a different room.
    if (this.#rules.mayLease?.(state) === false) this.runs = [];
    else if (this.runs.length === 0) this.runs = this.#newRuns();
    for (const run of this.runs) if (this.#surroundings.keepsLeases()) run.follow(state);
  }
}
