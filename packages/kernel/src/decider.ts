import type { Refusal } from "./refusals.ts";
import type { Millis, TicketNumber } from "./values.ts";

/** The result of a command: events for one entry, or the reason why nothing changes. */
export type Decision<Event> = { readonly events: readonly Event[] } | { readonly refusal: Refusal };

/** What the listing of rooms shows. Written in the same transaction as the entry, so it is never stale. */
export interface Listing {
  readonly status: string;
  readonly summary: Readonly<Record<string, unknown>>;
}

/**
 * A state as plain columns and lists. Columns may be views of append-only memory, and items of lists never change.
 * Both stay valid while the state changes, so a snapshot can be written without stopping the room.
 */
export interface Saved {
  /** Written as one JSON text. Long data belongs in `lists`, because writing it at once would stall the server. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly columns: Readonly<Record<string, Column>>;
  /** JSON values, written a few at a time. */
  readonly lists?: Readonly<Record<string, readonly unknown[]>>;
}
export type Column = Uint8Array | Uint32Array | Float64Array;

/**
 * Places that expire without heartbeats (LS1). Only the host knows about heartbeats: they are not written to the log
 * (LS3), so no rule may depend on one. The host asks `lapse` after each span of the window.
 */
export interface Lease<State, Command> {
  /** How long a place lasts without heartbeats, at least 1 ms; undefined when no place needs them now. */
  windowMs(state: State): number | undefined;
  /**
   * Places lapse after at least one window without heartbeats and at most one span more. The default is one span per
   * window. Each span costs one bit per place, so use more only in rooms with few people, where others wait for the
   * lapse.
   */
  readonly spansPerWindow?: number;
  /** The newest ticket. */
  newest(state: State): number;
  /**
   * The command that expires the silent places or makes them away; undefined when there are none. It is never refused.
   * It may handle only some of them to keep its entry small: the host asks again until the result is undefined. A
   * place may come under this lease through no action of its person and have been silent for long; this function
   * decides whether to spare it.
   */
  lapse(state: State, isPresent: (ticket: TicketNumber) => boolean, now: Millis): Command | undefined;
  /** For a lease that makes silent places away until their next heartbeat, instead of ending them. */
  readonly absence?: Absence<State, Command>;
}

/** Places that the log says are away. Unlike others, their next heartbeat is a command. */
export interface Absence<State, Command> {
  isAway(state: State, ticket: TicketNumber): boolean;
  /** The command that brings places back. It is never refused while they are away. */
  back(tickets: readonly TicketNumber[]): Command;
  /** Maximum number of tickets per command, so that its entry stays small. */
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

/** An effect of an entry on another stream. It is stored with the entry, and delivered until it has arrived. */
export interface Effect {
  /** Kind and id of the target stream. */
  readonly to: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An effect in delivery, with the version of the entry that caused it. */
export interface Delivery {
  readonly version: number;
  readonly body: Effect["body"];
}

/** A clock that runs against a player, such as that of a turn. A stream with a running clock stays in memory. */
export interface RunningClock<State, Command> {
  isRunning(state: State): boolean;
  /** Restarts the clock. Decided before anything else after a time in which nobody could act. */
  readonly revive: Command;
}

/** Places that expire, or become away, without heartbeats. */
export interface Presence<State, Command> {
  /**
   * A stream with a window or a running clock stays in memory, and is loaded again after a start. The host adds
   * `leased`, true or false, to the summary in its listing, so that it finds these streams without reading all of
   * them.
   */
  readonly leases: readonly Lease<State, Command>[];
  /**
   * Whether places in this stream can ever expire, which never changes. Without this function, they can in all
   * streams. In a listing of such a kind, a stream without `leased` has no places that expire.
   */
  mayLease?(state: State): boolean;
}

/** Handles the effects of other streams. */
export interface Inbox<Command> {
  /**
   * The command for deliveries from another stream, in order. Deliveries may repeat: the versions show which are new,
   * and the command is refused as repeated when none is.
   */
  receive(from: string, deliveries: readonly Delivery[]): Command;
  /**
   * Deliver effects of all streams in the order in which they were caused, one by one. Otherwise, streams deliver in
   * parallel.
   */
  readonly isOrdered?: true;
}

/** How repeated requests are recognised (ID2). */
export interface Keys<Command> {
  /** Two commands on one stream are the same request exactly when these texts are equal. */
  fingerprint(command: Command): string;
  /**
   * The text that an older version with other defaults wrote for the same request. Undefined when it is the same text.
   */
  formerFingerprint?(command: Command): string | undefined;
  /** Keys are remembered forever instead of for a day, because their requests must never be repeated. */
  readonly areKept?: true;
}

/** How a state is saved, so that it need not be rebuilt from all of its entries. */
export interface Snapshots<State> {
  save(state: State): Saved;
  restore(saved: Saved): State;
}

/** The interface of every kind of stream: a pure core that a host can run on any log. */
export interface Decider<State, Command, Event> {
  decide(state: State | undefined, command: Command, now: Millis): Decision<Event>;
  /**
   * May change the state in place, because copying a million waiting people is too slow. `version` is that of the
   * event's entry.
   */
  evolve(state: State | undefined, event: Event, at: Millis, version: number): State;
  /** When the state needs its next `tick`; undefined for never. */
  nextDue(state: State): Millis | undefined;
  /** The command by which the host wakes the state at its due time. */
  readonly tick: Command;
  listing(state: State): Listing;
  readonly keys: Keys<Command>;
  readonly snapshots: Snapshots<State>;
  readonly clock?: RunningClock<State, Command>;
  readonly presence?: Presence<State, Command>;
  /**
   * The rows that these entries add and change, for questions answered by query. The state is the one after the
   * entries.
   */
  rows?(state: State, entries: readonly Recorded<Event>[]): Rows;
  /** The effects of an entry on other streams; at most one per stream. */
  effects?(state: State, events: readonly Event[]): readonly Effect[];
  readonly inbox?: Inbox<Command>;
}
