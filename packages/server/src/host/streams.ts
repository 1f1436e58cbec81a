import type { Millis, Refusal, TicketNumber } from "@openseat/kernel";
import type { Entry } from "../log/entry.ts";
import type { Listed, ListQuery } from "../log/log.ts";
import type { Whose } from "./presence/heartbeats.ts";
import type { Hold } from "./presence/holds.ts";
import type { Ask, Outcome } from "./stream/asks.ts";

/** How a stream is looked at: its state, its version, and what the time is in it (CK3). `state` is undefined when there is no such stream. */
export type Look<State, T> = (state: State | undefined, version: number, now: Millis) => T;

/** What the host lets one do with the streams of one kind. */
export interface Streams<State, Command, Event> {
  ask(id: string, ask: Ask<Command>): Promise<Outcome<State, Event>>;
  /** Looks at what is durable. */
  read<T>(id: string, look: Look<State, T>): Promise<{ value: T } | { refusal: Refusal }>;
  /** What `read` would answer, if it can be answered at once; undefined means that `read` has to be asked. */
  peek<T>(id: string, look: Look<State, T>): T | undefined;
  /** Looks at what is durable of those in memory, at most so many, the latest used first; none stays there for it. */
  lookAround<T>(max: number, look: (id: string, state: State) => T): Promise<T[]>;
  list(query: Omit<ListQuery, "kind">): Promise<Listed[]>;
  /** One durable entry, from the log. */
  entry(id: string, version: number): Promise<Entry<Event>>;
  /** Durable entries after a version, in order, as far as they are wanted. */
  entriesAfter(id: string, version: number): AsyncIterable<Entry<Event>>;
  /**
   * A sign of life of a place. To be given as soon as it comes, before anything that waits: then whoever reads or asks
   * right after it, and is told that the place is gone, is told the truth. Out of memory nothing has to be noted.
   */
  heard(id: string, whose: Whose<State>): void;
  /**
   * A moment at or after which this place sent a heartbeat, as exact as presence is (ADR 10). Undefined where it is
   * not known: after a restart, where no lease runs, and on nodes that do not keep the leases.
   */
  heardSince(id: string, ticket: TicketNumber): Millis | undefined;
  /** A sign of life that goes on until it is released, whatever becomes of the stream meanwhile. */
  hold(id: string, ticket: TicketNumber): Hold;
}
