import { grown } from "../collections/columns.ts";
import { TextTable } from "../collections/text-table.ts";
import type { Column } from "../decider.ts";
import { assert, type Millis, type PersonId, type TicketNumber } from "../values.ts";

const placeStates = ["waiting", "admitted", "active", "completed", "left", "expired"] as const;
export type PlaceState = (typeof placeStates)[number];

/** RM4: the only ways that a place may go. */
const moves: Readonly<Record<PlaceState, readonly PlaceState[]>> = {
  waiting: ["admitted", "expired", "left"],
  admitted: ["active", "expired", "left"],
  active: ["completed", "left", "expired"],
  completed: [],
  left: [],
  expired: [],
};
const isLive = (state: PlaceState) => moves[state].length > 0;

export interface Place {
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  readonly state: PlaceState;
  readonly enteredAt: Millis;
  /** When the place came into its present state. */
  readonly changedAt: Millis;
}

/**
 * Every place a room has ever given, by ticket, in columns of typed arrays: a million people as a million objects
 * would cost ten times the memory, and pauses to collect it.
 */
export class Roster {
  readonly #persons: TextTable;
  #tickets = 0;
  // By ticket - 1. The first two are only ever appended to; the other two change with the place.
  #personOf = new Uint32Array(16);
  #enteredAt = new Float64Array(16);
  #changedAt = new Float64Array(16);
  #state = new Uint8Array(16);
  /** By person: the ticket of the live place, or 0. There is room for one, and that is RM3. */
  #liveTicket = new Uint32Array(16);

  constructor(persons = new TextTable()) {
    this.#persons = persons;
  }

  /** How many places there have been: also the ticket of the newest. */
  get tickets(): number {
    return this.#tickets;
  }

  enter(person: PersonId, state: "waiting" | "active", at: Millis): TicketNumber {
    const number = this.#persons.add(person);
    const row = this.#tickets++;
    this.#liveTicket = grown(this.#liveTicket, number + 1);
    assert(this.#liveTicket[number] === 0, "two live places of one person in one room");
    this.#liveTicket[number] = row + 1;
    this.#personOf = grown(this.#personOf, row + 1);
    this.#personOf[row] = number;
    this.#enteredAt = grown(this.#enteredAt, row + 1);
    this.#enteredAt[row] = at;
    this.#changedAt = grown(this.#changedAt, row + 1);
    this.#changedAt[row] = at;
    this.#state = grown(this.#state, row + 1);
    this.#state[row] = placeStates.indexOf(state);
    return (row + 1) as TicketNumber;
  }

  move(ticket: TicketNumber, to: PlaceState, at: Millis): void {
    const row = ticket - 1;
    const from = placeStates[this.#state[row]];
    assert(row < this.#tickets && moves[from].includes(to), `a place went from ${from} to ${to}`);
    this.#state[row] = placeStates.indexOf(to);
    this.#changedAt[row] = at;
    if (!isLive(to)) this.#liveTicket[this.#personOf[row]] = 0;
  }

  /** The person's one live place, if there is one. */
  livePlace(person: PersonId): Place | undefined {
    const number = this.#persons.find(person);
    const ticket = number < 0 ? 0 : this.#liveTicket[number];
    return ticket === 0 ? undefined : this.place(ticket as TicketNumber);
  }

  place(ticket: TicketNumber): Place {
    const row = ticket - 1;
    return {
      ticket,
      person: this.#persons.text(this.#personOf[row]) as PersonId,
      state: placeStates[this.#state[row]],
      enteredAt: this.#enteredAt[row] as Millis,
      changedAt: this.#changedAt[row] as Millis,
    };
  }

  /** Views where nothing is ever rewritten, copies where it is: see `Saved`. */
  save(): Record<string, Column> {
    const { bytes, ends } = this.#persons.save();
    return {
      personBytes: bytes,
      personEnds: ends,
      personOf: this.#personOf.subarray(0, this.#tickets),
      enteredAt: this.#enteredAt.subarray(0, this.#tickets),
      changedAt: this.#changedAt.slice(0, this.#tickets),
      state: this.#state.slice(0, this.#tickets),
    };
  }

  static restore(columns: Readonly<Record<string, Column>>): Roster {
    const persons = TextTable.restore({
      bytes: columns.personBytes as Uint8Array,
      ends: columns.personEnds as Uint32Array,
    });
    const roster = new Roster(persons);
    roster.#tickets = columns.state.length;
    roster.#personOf = new Uint32Array(columns.personOf);
    roster.#enteredAt = new Float64Array(columns.enteredAt);
    roster.#changedAt = new Float64Array(columns.changedAt);
    roster.#state = new Uint8Array(columns.state);
    roster.#liveTicket = new Uint32Array(Math.max(16, persons.size));
    for (let row = 0; row < roster.#tickets; row++) {
      if (isLive(placeStates[roster.#state[row]])) roster.#liveTicket[roster.#personOf[row]] = row + 1;
    }
    return roster;
  }
}
