import type { Refusal } from "./refusals.ts";
import type { Millis } from "./values.ts";

/** What a command comes to: events to be written in one entry, or the reason why nothing changes. */
export type Decision<Event> = { readonly events: readonly Event[] } | { readonly refusal: Refusal };

/** What the list of rooms shows of a stream. Written in the same transaction as the entry, so it is never stale. */
export interface Listing {
  readonly status: string;
  readonly summary: Readonly<Record<string, unknown>>;
}

/**
 * The contents of a state as plain columns. Columns may be views of append-only memory: what lies in them stays
 * as it is while the state goes on changing, so that a snapshot can be written without stopping the room.
 */
export interface Saved {
  readonly head: Readonly<Record<string, unknown>>;
  readonly columns: Readonly<Record<string, Column>>;
}
export type Column = Uint8Array | Uint32Array | Float64Array;

/** The shape of every noun: a pure core that a host can run on any log. */
export interface Decider<State, Command, Event> {
  decide(state: State | undefined, command: Command, now: Millis): Decision<Event>;
  /** May change the state in place: a million waiting people are not copied. */
  evolve(state: State | undefined, event: Event, at: Millis): State;
  /** When the state wants a `tick` next; undefined for never. */
  nextDue(state: State): Millis | undefined;
  /** The command by which the host wakes the state at its due time. */
  readonly tick: Command;
  /** Two commands ask the same of one stream exactly when these texts are equal (ID2). */
  fingerprint(command: Command): string;
  listing(state: State): Listing;
  save(state: State): Saved;
  restore(saved: Saved): State;
}
