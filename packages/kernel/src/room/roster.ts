import { grown, picked } from "../collections/columns.ts";
import { TextTable } from "../collections/text-table.ts";
import type { Column } from "../decider.ts";
import { assert, type Millis, type PersonId, type TicketNumber } from "../values.ts";

/** As many as four bytes can count: the columns of a room hold no more. */
export const lastTicket = 0xffffffff;

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
  #persons: TextTable;
  /** The newest ticket that may be forgotten. All after it have rows, one after the other. */
  #forgotten = 0;
  /** Older ones that are remembered, in order: the first rows are theirs. */
  #elders = new Uint32Array(0);
  #rows = 0;
  // By row. The first two are only ever appended to; the other two change with the place.
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
    return this.#forgotten + this.#rows - this.#elders.length;
  }

  /** How many of them are remembered. */
  get remembered(): number {
    return this.#rows;
  }

  remembers(ticket: number): boolean {
    return ticket <= this.tickets && this.rowOf(ticket) >= 0;
  }

  /** In columns by row: those remembered have the rows 0, 1, 2… in the order of their tickets. -1 for others. */
  rowOf(ticket: number): number {
    if (ticket > this.#forgotten) return this.#elders.length + ticket - 1 - this.#forgotten;
    const row = this.rowsUpTo(ticket) - 1;
    return this.#elders[row] === ticket ? row : -1;
  }

  /** How many are remembered of the tickets up to this one, itself included: also the row of the next. */
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
    assert(this.remembers(ticket), "a place moved that there is none of");
    const row = this.rowOf(ticket);
    const from = placeStates[this.#state[row]];
    assert(moves[from].includes(to), `a place went from ${from} to ${to}`);
    this.#state[row] = placeStates.indexOf(to);
    this.#changedAt[row] = at;
    if (!isLive(to)) this.#liveTicket[this.#personOf[row]] = 0;
  }

  /** The person's one live place, if there is one. */
  livePlace(person: PersonId): Place | undefined {
    const ticket = this.liveTicket(person);
    return ticket && this.place(ticket);
  }

  /** Its ticket alone. */
  liveTicket(person: PersonId): TicketNumber | undefined {
    const number = this.#persons.find(person);
    const ticket = number < 0 ? 0 : this.#liveTicket[number];
    return ticket === 0 ? undefined : (ticket as TicketNumber);
  }

  /** The state of a remembered place, without the rest: what is asked for most. */
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
   * Forgets the places that are over, bar the newest `newestKept`, and answers which rows are left. A waiting room that
   * is open for years would otherwise keep everyone who ever came; and if it forgot only those before the first live
   * place, then everyone who came and went while one person stayed.
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

  /** Views where nothing is ever rewritten, copies where it is: see `Saved`. */
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

  /** `tickets` are all that there have been: the columns hold those remembered. */
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
