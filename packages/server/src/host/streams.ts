import type { Millis, Refusal, TicketNumber } from "@openseat/kernel";
import type { Entry } from "../log/entry.ts";
import type { Listed, ListQuery, StreamName } from "../log/log.ts";
import type { TicketSource } from "./presence/heartbeats.ts";
import type { Hold } from "./presence/holds.ts";
import type { Ask, AskOutcome } from "./stream/asks.ts";

/** Called with a state, its version, and the time in the stream (CK3). `state` is undefined if there is no such stream. */
export type StateReader<State, T> = (state: State | undefined, version: number, now: Millis) => T;

export type ReadResult<T> = { value: T } | { refusal: Refusal };

export interface Streams<State, Command, Event> {
  ask(id: string, ask: Ask<Command>): Promise<AskOutcome<State, Event>>;
  read<T>(id: string, reader: StateReader<State, T>): Promise<ReadResult<T>>;
  /** What `read` would answer, if it can be answered at once; undefined if `read` has to be called. */
  peek<T>(id: string, reader: StateReader<State, T>): T | undefined;
  /** Looks at up to `max` streams in memory, the latest used first. It does not keep them in memory. */
  lookAround<T>(max: number, reader: (id: string, state: State) => T): Promise<T[]>;
  list(query: Omit<ListQuery, "kind">): Promise<Listed[]>;
  entry(id: string, version: number): Promise<Entry<Event>>;
  /** Durable entries after a version, in order, read as they are consumed. */
  entriesAfter(id: string, version: number): AsyncIterable<Entry<Event>>;
  /** Call it before anything that waits: who is told right after that the place is gone must be told the truth. */
  heard(id: string, ticketSource: TicketSource<State>): void;
  /**
   * A moment at or after which this place sent a heartbeat, as exact as presence is (ADR 10). Undefined if it is not known: after a
   * restart, without a lease, and on nodes that do not keep the leases.
   */
  heardSince(id: string, ticket: TicketNumber): Millis | undefined;
  /** A heartbeat that goes on until it is released, also while the stream is out of memory. */
  hold(id: string, ticket: TicketNumber): Hold;
}

export function kindOf(stream: StreamName): string {
  return stream.slice(0, stream.indexOf("/"));
}
