import type { Decider, Effect, Millis, PersonId, Saved } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import type { Kind } from "../requests.ts";
import type { Specification } from "../specification.ts";

/** A command and the person who sends it. */
export interface Ask<Command> {
  readonly by: string;
  readonly command: Command;
}

/** One room with few people, and every step that is possible in it. */
export interface SmallWorld<
  State,
  Command,
  Event,
  Room extends { readonly at: Millis; readonly terms: unknown },
> {
  readonly name: string;
  readonly kind: Kind;
  /** The rules under test. Tests use altered ones to check that faults are found. */
  readonly decider: Decider<State, Command, Event>;
  readonly specification: Specification<Room, Command, Event>;
  readonly create: Ask<Command>;
  /** Every command that makes sense now, and some that must be refused. */
  asks(room: Room): readonly Ask<Command>[];
  /** Waiting times after which nothing is due but something has changed, such as who can still be overtaken. */
  readonly waitsMs: readonly number[];
  /** This viewer's view, in the specification's form. */
  view(state: State, version: number, by: string, now: Millis): unknown;
  readonly viewers: readonly string[];
  /** The part of a saved state that the rules depend on, with ages instead of times. */
  essence(saved: Saved, now: Millis): unknown;
  /** LS4: throws when a person lost time because the server was down. */
  checkOutage?(before: Room, after: Room, now: Millis): void;
  /** LD12: throws when other streams receive anything but the expected effects. */
  checkEffects?(entry: Entry<Event>, effects: readonly Effect[]): void;
}

// biome-ignore lint/suspicious/noExplicitAny: worlds of all kinds are explored alike
export type AnySmallWorld = SmallWorld<any, any, any, any>;

/** Three people share two seats: the fewest for which a person must wait. */
export const people = ["ann", "bob", "cyd"] as PersonId[];

/** When every small world starts. Late enough that no count in a state can be mistaken for a time. */
export const epoch = 1_000_000_000_000 as Millis;
