import { grown, picked } from "../collections/columns.ts";
import { TextTable } from "../collections/text-table.ts";
import type { Column } from "../decider.ts";
import { assert, type Millis, type PersonId, type TicketNumber } from "../values.ts";

/** Columns store tickets in four bytes, so a room cannot give out more. */
export const lastTicket = 0xffffffff;

const placeStates = ["waiting", "admitted", "active", "completed", "left", "expired"] as const;
export type PlaceState = (typeof placeStates)[number];

/** RM4: the only state changes that a place can make. */
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
  /** When the place entered its present state. */
  readonly changedAt: Millis;
}

/**
 * Every place a room has ever given, by ticket, in typed arrays. A million people as a million objects would need ten
 * times the memory and cause garbage collection pauses.
 */
export class Roster {
  #persons: TextTable;
  /** The newest ticket that may be forgotten. All later tickets have consecutive rows. */
  #forgotten = 0;
  /** The remembered tickets up to that one, in order. They have the first rows. */
  #elders = new Uint32Array(0);
  #rows = 0;
  // Columns by row. The first two are append-only; the other two change with the place.
  #personOf = new Uint32Array(16);
  #enteredAt = new Float64Array(16);
  #changedAt = new Float64Array(16);
  #state = new Uint8Array(16);
  /** RM3: the ticket of each person's live place, or 0. One slot per person allows only one live place. */
  #liveTicket = new Uint32Array(16);

  constructor(persons = new TextTable()) {
    this.#persons = persons;
  }

  /** How many places the room has given; this is also the newest ticket. */
  get tickets(): number {
    return this.#forgotten + this.#rows - this.#elders.length;
  }

  /** How many places are remembered. */
  get remembered(): number {
    return this.#rows;
  }

  remembers(ticket: number): boolean {
    return ticket <= this.tickets && this.rowOf(ticket) >= 0;
  }

  /** The row of a ticket: remembered tickets have the rows 0, 1, 2… in order. -1 for forgotten ones. */
  rowOf(ticket: number): number {
    if (ticket > this.#forgotten) return this.#elders.length + ticket - 1 - this.#forgotten;
    const row = this.rowsUpTo(ticket) - 1;
    return this.#elders[row] === ticket ? row : -1;
  }

  /** How many tickets up to and including this one are remembered; this is also the row of the next. */
  rowsUpTo(ticket: number): number {
    if (ticket >= this.#forgotten) return this.#elders.length + ticket - this.#forgotten;
    let [low, high] = [0, this.#elders.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#elders[middle] <= ticket) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  ticketAt(row: number): TicketNumber {
    const young = row - this.#elders.length;
    return (young < 0 ? this.#elders[row] : this.#forgotten + young + 1) as TicketNumber;
  }

  enter(person: PersonId, state: "waiting" | "active", at: Millis): TicketNumber {
    const number = this.#persons.add(person);
    const row = this.#rows++;
    const ticket = this.tickets as TicketNumber;
    this.#liveTicket = grown(this.#liveTicket, number + 1);
    assert(this.#liveTicket[number] === 0, "two live places of one person in one room");
    this.#liveTicket[number] = ticket;
    this.#personOf = grown(this.#personOf, row + 1);
    this.#personOf[row] = number;
    this.#enteredAt = grown(this.#enteredAt, row + 1);
    this.#enteredAt[row] = at;
    this.#changedAt = grown(this.#changedAt, row + 1);
    this.#changedAt[row] = at;
    this.#state = grown(this.#state, row + 1);
    this.#state[row] = placeStates.indexOf(state);
    return ticket;
  }

  move(ticket: TicketNumber, to: PlaceState, at: Millis): void {
    assert(this.remembers(ticket), "a place changed that does not exist");
    const row = this.rowOf(ticket);
    const from = placeStates[this.#state[row]];
    assert(moves[from].includes(to), `a place went from ${from} to ${to}`);
    this.#state[row] = placeStates.indexOf(to);
    this.#changedAt[row] = at;
    if (!isLive(to)) this.#liveTicket[this.#personOf[row]] = 0;
  }

  /** The person's live place, if there is one. */
  livePlace(person: PersonId): Place | undefined {
    const ticket = this.liveTicket(person);
    return ticket && this.place(ticket);
  }

  /** The ticket of the person's live place. */
  liveTicket(person: PersonId): TicketNumber | undefined {
    const number = this.#persons.find(person);
    const ticket = number < 0 ? 0 : this.#liveTicket[number];
    return ticket === 0 ? undefined : (ticket as TicketNumber);
  }

  /** The state of a remembered place. Faster than `place`, because most callers need only the state. */
  stateOf(ticket: TicketNumber): PlaceState {
    return placeStates[this.#state[this.rowOf(ticket)]];
  }

  enteredAt(ticket: TicketNumber): Millis {
    return this.#enteredAt[this.rowOf(ticket)] as Millis;
  }

  place(ticket: TicketNumber): Place {
    const row = this.rowOf(ticket);
    return {
      ticket,
      person: this.#persons.text(this.#personOf[row]) as PersonId,
      state: placeStates[this.#state[row]],
      enteredAt: this.#enteredAt[row] as Millis,
      changedAt: this.#changedAt[row] as Millis,
    };
  }

  /**
   * Forgets the places that are over, except the newest `newestKept`, and returns the rows that are left. Without
   * this, a waiting room that is open for years would keep everyone who ever came. Forgetting only tickets before the
   * first live place would not help: one person who stays would keep all later ones.
   */
  forgetOver(newestKept: number): Uint32Array {
    const young = Math.max(this.#elders.length, this.#rows - newestKept);
    let left = new Uint32Array(this.#rows);
    let kept = 0;
    for (let row = 0; row < this.#rows; row++)
      if (row >= young || isLive(placeStates[this.#state[row]])) left[kept++] = row;
    left = left.slice(0, kept);
    const elders = left.subarray(0, kept - (this.#rows - young)).map((row) => this.ticketAt(row));
    this.#forgotten += young - this.#elders.length;
    this.#elders = elders;
    this.#rows = kept;
    const persons = new TextTable();
    this.#personOf = picked(this.#personOf, left).map((number) => persons.add(this.#persons.text(number)));
    this.#persons = persons;
    this.#enteredAt = picked(this.#enteredAt, left);
    this.#changedAt = picked(this.#changedAt, left);
    this.#state = picked(this.#state, left);
    this.#seatTheLiving();
    return left;
  }

  #seatTheLiving(): void {
    this.#liveTicket = new Uint32Array(Math.max(16, this.#persons.size));
    for (let row = 0; row < this.#rows; row++) {
      if (isLive(placeStates[this.#state[row]])) this.#liveTicket[this.#personOf[row]] = this.ticketAt(row);
    }
  }

  /** Views of append-only columns, copies of the others: see `Saved`. */
  save(): Record<string, Column> {
    const { bytes, ends } = this.#persons.save();
    return {
      personBytes: bytes,
      personEnds: ends,
      personOf: this.#personOf.subarray(0, this.#rows),
      enteredAt: this.#enteredAt.subarray(0, this.#rows),
      changedAt: this.#changedAt.slice(0, this.#rows),
      state: this.#state.slice(0, this.#rows),
      ...(this.#elders.length > 0 && { elders: this.#elders }),
    };
  }

  /** `tickets` is how many places were ever given; the columns hold only the remembered ones. */
  static restore(columns: Readonly<Record<string, Column>>, tickets = columns.state.length): Roster {
    const persons = TextTable.restore({
      bytes: columns.personBytes as Uint8Array,
      ends: columns.personEnds as Uint32Array,
    });
    const roster = new Roster(persons);
    roster.#rows = columns.state.length;
    if (columns.elders) roster.#elders = new Uint32Array(columns.elders);
    roster.#forgotten = tickets - roster.#rows + roster.#elders.length;
    roster.#personOf = new Uint32Array(columns.personOf);
    roster.#enteredAt = new Float64Array(columns.enteredAt);
    roster.#changedAt = new Float64Array(columns.changedAt);
    roster.#state = new Uint8Array(columns.state);
    roster.#seatTheLiving();
    return roster;
  }
}
