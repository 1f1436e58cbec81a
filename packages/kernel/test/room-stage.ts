import assert from "node:assert/strict";
import {
  type GameCommand,
  type GameEvent,
  type GameRoom,
  gameDecider,
  type Millis,
  type PersonId,
  type Place,
  placesAfter,
  type TicketNumber,
} from "@openseat/kernel";

const { decide, evolve } = gameDecider;
export const millis = (value: number) => value as Millis;
export const person = (name: string) => name as PersonId;
export const ticket = (value: number) => value as TicketNumber;

export type Create = Extract<GameCommand, { type: "create" }>;
type Terms = Partial<Omit<Create, "type">>;

export const create = (terms: Terms = {}): Create => ({
  type: "create",
  title: "Chess",
  seats: 2,
  waitlist: false,
  endsAt: null,
  creator: "carol",
  ...terms,
});
export const join = (name: string): GameCommand => ({ type: "join", person: person(name) });
export const leave = (name: string): GameCommand => ({ type: "leave", person: person(name) });
export const endBy = (by: string, asOperator = false): GameCommand => ({ type: "end", by, asOperator });

export const remove = (name: string, by: string, asOperator = false): GameCommand => ({
  type: "remove",
  ...{ person: person(name), by, asOperator },
});
export const expire = (...tickets: number[]): GameCommand => ({
  type: "expire",
  tickets: tickets.map(ticket),
});

/** A room with a minimal host: decides and evolves, one command after the other. */
export class Stage {
  room: GameRoom | undefined;
  now = millis(1_000);

  constructor(terms?: Terms) {
    if (terms) this.do(create(terms));
  }

  /** The events of the entry that the command creates. */
  do(command: GameCommand): readonly GameEvent[] {
    const decision = decide(this.room, command, this.now);
    if ("refusal" in decision) assert.fail(`refused: ${decision.refusal.code}`);
    for (const event of decision.events) this.room = evolve(this.room, event, this.now, 1);
    return decision.events;
  }

  /** Does nothing if the command is refused or changes nothing. */
  doIfPossible(command: GameCommand | undefined): void {
    if (command && "events" in decide(this.room, command, this.now)) this.do(command);
  }

  refusal(command: GameCommand) {
    const decision = decide(this.room, command, this.now);
    assert.ok("refusal" in decision, `${command.type} was not refused`);
    return decision.refusal;
  }

  at(now: number): this {
    this.now = millis(now);
    return this;
  }

  get places(): Place[] {
    return placesAfter(this.room!, 0, 1_000_000);
  }
}

/** Replaces these limits during `run`, because some are too high to reach in a test. */
export function withLimits<Limits extends object>(
  limits: Limits,
  others: { readonly [Name in keyof Limits]?: number },
  run: () => void,
): void {
  const usual = { ...limits };
  Object.assign(limits, others);
  try {
    run();
  } finally {
    Object.assign(limits, usual);
  }
}
