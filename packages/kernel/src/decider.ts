import type { Refusal } from "./refusals.ts";
import type { Millis, TicketNumber } from "./values.ts";

/** What a command comes to: events to be written in one entry, or the reason why nothing changes. */
export type Decision<Event> = { readonly events: readonly Event[] } | { readonly refusal: Refusal };

/** What the list of rooms shows of a stream. Written in the same transaction as the entry, so it is never stale. */
export interface Listing {
  readonly status: string;
  readonly summary: Readonly<Record<string, unknown>>;
}

/**
 * The contents of a state as plain columns and lists. Columns may be views of append-only memory, and items of lists never
 * change. Both stay as they are while the state changes, so that a snapshot can be written without stopping the room.
 */
export interface Saved {
  /** Written as one JSON text at once: what is long belongs into `lists`, because writing it would stall the server. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly columns: Readonly<Record<string, Column>>;
  /** JSON values, written a few at a time. */
  readonly lists?: Readonly<Record<string, readonly unknown[]>>;
}
export type Column = Uint8Array | Uint32Array | Float64Array;

/**
 * Places that last only while signs of life of them come (LS1). Who is heard of is known to the host alone: nothing is
 * written for a sign of life (LS3), so no rule may rest on one. The host asks `lapse` after each span of the window.
 */
export interface Lease<State, Command> {
  /** How long a place lasts in silence, at least 1 ms; undefined when nobody has to be heard of just now. */
  windowMs(state: State): number | undefined;
  /**
   * Whoever is silent lapses after a window at least, and at most after one span more. Unless given there is one span in
   * a window: each costs a bit a place, so more are for rooms with few people, where somebody waits for the lapse.
   */
  readonly spansPerWindow?: number;
  /** The number of the newest ticket. */
  newest(state: State): number;
  /**
   * The command that ends the places of which nothing was heard, or makes them away; or undefined when there are none. It is never refused.
   * It may end only some of them, so that its entry stays small: then this is asked again, until it gives undefined.
   * A place that comes under this lease by no doing of its own person's may have been silent for long already; whether
   * to spare it is for this function to decide.
   */
  lapse(state: State, isHeard: (ticket: TicketNumber) => boolean, now: Millis): Command | undefined;
  /** For a lease that does not end silent places, but makes them away until their next heartbeat. */
  readonly absence?: Absence<State, Command>;
}

/** Places that the log says are away. Their next heartbeat is a command, unlike others. */
export interface Absence<State, Command> {
  isAway(state: State, ticket: TicketNumber): boolean;
  /** The command that brings places back. It is never refused while they are away. */
  back(tickets: readonly TicketNumber[]): Command;
  /** Tickets in one command, so that its entry stays small. */
  readonly ticketsMax: number;
}

/** An entry of the log, as far as rows follow from it. */
export interface Recorded<Event> {
  readonly version: number;
  readonly at: Millis;
  readonly by: string;
  readonly key?: string;
  readonly events: readonly Event[];
}

/** Rows by table, each with its values in the order of the table's columns. */
export type Rows = Readonly<Record<string, readonly (readonly (string | number | null)[])[]>>;

/** What an entry causes in another stream. It is stored with the entry, and delivered until it has arrived. */
export interface Effect {
  /** Kind and id of the stream. */
  readonly to: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An effect on its way, by the version of the entry that caused it. */
export interface Delivery {
  readonly version: number;
  readonly body: Effect["body"];
}

/** A clock in the state that runs against somebody, as that of a turn. Such a stream stays in memory. */
export interface RunningClock<State, Command> {
  isRunning(state: State): boolean;
  /** Restarts it. Decided before anything else when time has passed that nobody could use. */
  readonly revive: Command;
}

/** Places that expire, or become away, when no heartbeat comes. */
export interface Presence<State, Command> {
  /**
   * A stream in which any of these has a window stays in memory, and is brought back there after a start; so does one
   * in which a clock runs. To find it then without reading them all, the host adds `leased`, true or false, to
   * the summary of its listing.
   */
  readonly leases: readonly Lease<State, Command>[];
  /**
   * Whether places in this stream can ever expire, which never changes; without it, they can in all. A listing of such a kind
   * that does not say `leased` is of a stream in which they cannot.
   */
  mayLease?(state: State): boolean;
}

/** What the effects of other streams come to here. */
export interface Inbox<Command> {
  /**
   * The command for what another stream has caused here, in its order. It may come again: what came before must be told
   * by the versions, and is refused as repeated when nothing of it is new.
   */
  receive(from: string, deliveries: readonly Delivery[]): Command;
  /** What different streams send comes in the order in which it was caused, one after the other; elsewhere, side by side. */
  readonly isOrdered?: true;
}

/** How repeated requests are recognised (ID2). */
export interface Keys<Command> {
  /** Two commands ask the same of one stream exactly when these texts are equal. */
  fingerprint(command: Command): string;
  /** What an older version wrote for the same request, when its defaults were others. Undefined when that is the same text. */
  formerFingerprint?(command: Command): string | undefined;
  /** They are remembered for ever, rather than for a day: what was asked with one is never to be done again. */
  readonly areKept?: true;
}

/** How a state is kept, so that it need not be made anew from all of its entries. */
export interface Snapshots<State> {
  save(state: State): Saved;
  restore(saved: Saved): State;
}

/** The shape of every noun: a pure core that a host can run on any log. */
export interface Decider<State, Command, Event> {
  decide(state: State | undefined, command: Command, now: Millis): Decision<Event>;
  /** May change the state in place: a million waiting people are not copied. `version` is that of the event's entry. */
  evolve(state: State | undefined, event: Event, at: Millis, version: number): State;
  /** When the state wants a `tick` next; undefined for never. */
  nextDue(state: State): Millis | undefined;
  /** The command by which the host wakes the state at its due time. */
  readonly tick: Command;
  listing(state: State): Listing;
  readonly keys: Keys<Command>;
  readonly snapshots: Snapshots<State>;
  readonly clock?: RunningClock<State, Command>;
  readonly presence?: Presence<State, Command>;
  /** What is asked for by query: of these entries, the rows that they add and change. The state is as they left it. */
  rows?(state: State, entries: readonly Recorded<Event>[]): Rows;
  /** What an entry causes in other streams; at most one thing in each. */
  effects?(state: State, events: readonly Event[]): readonly Effect[];
  readonly inbox?: Inbox<Command>;
}
