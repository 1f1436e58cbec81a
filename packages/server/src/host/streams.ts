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
  /** The result of `read`, if it is available at once; otherwise undefined, and the caller has to use `read`. */
  peek<T>(id: string, reader: StateReader<State, T>): T | undefined;
  /** Reads up to `max` streams in memory, the most recently used first. It does not keep them in memory. */
  lookAround<T>(max: number, reader: (id: string, state: State) => T): Promise<T[]>;
  list(query: Omit<ListQuery, "kind">): Promise<Listed[]>;
  entry(id: string, version: number): Promise<Entry<Event>>;
  /** Durable entries after a version, in order, read as they are consumed. */
  entriesAfter(id: string, version: number): AsyncIterable<Entry<Event>>;
  /** Records a heartbeat. Call it before anything asynchronous: otherwise the place may expire before the caller is answered. */
  heard(id: string, ticketSource: TicketSource<State>): void;
  /**
   * A time at or after which this place sent a heartbeat, as precise as presence is (ADR 10). Undefined if it is not known:
   * after a restart, without a lease, and on nodes that do not manage the leases.
   */
  heardSince(id: string, ticket: TicketNumber): Millis | undefined;
  /** A continuous heartbeat until it is released, even while the stream is out of memory. */
  hold(id: string, ticket: TicketNumber): Hold;
}

export function kindOf(stream: StreamName): string {
  return stream.slice(0, stream.indexOf("/"));
}

/** Names the streams of a kind. The latest name is kept: a request uses it several times, and hashing a new text takes longer. */
export function streamNames(kind: string): (id: string) => StreamName {
  let latestId: string | undefined;
  let latest: StreamName = `${kind}/`;
  return (id) => {
    if (id !== latestId) {
      latestId = id;
      latest = `${kind}/${id}`;
    }
    return latest;
  };
}
