import type { Decider, Effect, Millis, PersonId, Saved } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import type { Kind } from "../requests.ts";
import type { Specification } from "../specification.ts";

/** A command, and who asks for it. */
export interface Ask<Command> {
  readonly by: string;
  readonly command: Command;
}

/** One room with few people, and everything that may happen in it. */
export interface SmallWorld<
  State,
  Command,
  Event,
  Room extends { readonly at: Millis; readonly terms: unknown },
> {
  readonly name: string;
  readonly kind: Kind;
  /** The rules under test. Tests put altered ones in, to see that the checks notice. */
  readonly decider: Decider<State, Command, Event>;
  readonly specification: Specification<Room, Command, Event>;
  readonly create: Ask<Command>;
  /** Every command that makes sense now, and some that have to be refused. */
  asks(room: Room): readonly Ask<Command>[];
  /** Spans of time after which nothing is due, but something has changed, such as the patience of those who wait. */
  readonly waitsMs: readonly number[];
  /** What this viewer is shown, in the shape in which the specification says it. */
  view(state: State, version: number, by: string, now: Millis): unknown;
  readonly viewers: readonly string[];
  /** What of a saved state the rules rest on, with ages in place of times. */
  essence(saved: Saved, now: Millis): unknown;
  /** LS4: throws when an outage has cost somebody the time in which the server was down. */
  checkOutage?(before: Room, after: Room, now: Millis): void;
  /** LD12: throws when other streams are told something else than they have to be. */
  checkEffects?(entry: Entry<Event>, effects: readonly Effect[]): void;
}

// biome-ignore lint/suspicious/noExplicitAny: worlds of all kinds are explored alike
export type AnySmallWorld = SmallWorld<any, any, any, any>;

/** Three people share two seats: the fewest with whom somebody has to wait. */
export const people = ["ann", "bob", "cyd"] as PersonId[];

/** When every small world begins. It is late enough that no count in a state can be mistaken for a time. */
export const epoch = 1_000_000_000_000 as Millis;
