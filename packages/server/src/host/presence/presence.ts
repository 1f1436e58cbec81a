import type { Lease, Millis } from "@openseat/kernel";
import { type LeaseContext, LeaseRun } from "./lease-run.ts";

/**
 * Who is there, in one stream, by all of its leases. It is known here only, in memory (LS3): whenever the state is
 * read anew from the log, everybody has a full fresh window (LS4).
 */
export class Presence<State, Command> {
  readonly runs: readonly LeaseRun<State, Command>[];
  readonly #leases: readonly Lease<State, Command>[];
  readonly #context: LeaseContext<State>;

  constructor(leases: readonly Lease<State, Command>[], context: LeaseContext<State>) {
    this.#leases = leases;
    this.#context = context;
    this.runs = leases.map((lease) => new LeaseRun(lease, context));
  }

  /** Somebody has to be heard of. Out of memory, the stream would never notice that they are not. */
  get isRunning(): boolean {
    return this.runs.some(({ isRunning }) => isRunning);
  }

  /** There may be silent places that have not lapsed yet, or places that are back. */
  get isUnsettled(): boolean {
    return this.runs.some(({ isUnsettled }) => isUnsettled);
  }

  /** Whether somebody is back or has been silent for too long, as far as it can be told already. */
  hasNews(state: State, now: Millis): boolean {
    // Each of them: where nobody is, that settles it.
    return this.runs.map((run) => run.next(state, now)).some((command) => command !== undefined);
  }

  /** What the listing says of a state, so that after a start the stream can be found without reading it. */
  isNeededFor(state: State): boolean {
    return this.#leases.some((lease) => lease.windowMs(state) !== undefined);
  }

  heard(ticket: number): void {
    for (const run of this.runs) run.heard(ticket);
  }

  /** A moment at or after which there was a heartbeat: as exact as windows are. */
  heardSince(ticket: number): Millis | undefined {
    const times = this.runs.flatMap((run) => run.heardSince(ticket) ?? []);
    return times.length > 0 ? (Math.max(...times) as Millis) : undefined;
  }

  follow(state: State): void {
    if (!this.#context.keepsLeases()) return;
    for (const run of this.runs) run.follow(state);
  }

  /** The state was let go of, or leases are kept elsewhere from now on. */
  forget(): void {
    for (const run of this.runs) run.stop();
  }
}
