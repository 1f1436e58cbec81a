import { grown } from "../collections/columns.ts";
import type { Roster } from "../room/roster.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import type { Lane } from "./lanes.ts";
import type { Line } from "./line.ts";

/**
 * Shares have three decimals and are counted in thousandths: in floating point, 0.29 × 100 is a little less than 29.
 */
const shareParts = 1000;

interface People {
  readonly line: Line;
  readonly roster: Roster;
  readonly particulars: { laneOf(ticket: TicketNumber): number };
}

/**
 * Where in the line a newcomer is placed. Three bounds limit what a lane skips. People of one lane stay in their order
 * of arrival (LN1). Nobody is placed ahead of an immediate lane, which waits only for a seat (LN3). Nobody is placed
 * ahead of the settled front of the line (LN4), which reaches back to the last person who has waited longer than the
 * patience. A person in the settled front stays in it, so a position that has stopped getting worse never starts
 * again.
 */
export class Precedence {
  readonly #lanes: readonly Lane[];
  /**
   * For each lane that skips or is immediate: its waiting tickets in order. Tickets that left the line are dropped
   * once they are last.
   */
  readonly #waiting: Stack[];
  /** How many at the front are settled. */
  #settled: number;
  /** The newest ticket that was checked for having waited longer than the patience. */
  #passed: number;

  constructor(lanes: readonly Lane[], settled = 0, passed = 0) {
    this.#lanes = lanes;
    this.#waiting = lanes.map(() => new Stack());
    this.#settled = settled;
    this.#passed = passed;
  }

  /** LN2: how many of the people present a newcomer in this lane is placed ahead of. */
  behind(lane: number, people: People, patienceMs: number, now: Millis): number {
    const { skips, immediate } = this.#lanes[lane];
    if (skips === 0) return 0;
    const { line } = people;
    const share = Math.floor((Math.round(skips * shareParts) * line.length) / shareParts);
    const { settled } = this.#settledBy(people, patienceMs, now);
    let ahead = Math.max(settled, this.#rankOfLast(lane, line));
    if (!immediate) {
      for (let other = 0; other < this.#lanes.length; other++)
        if (this.#lanes[other].immediate) ahead = Math.max(ahead, this.#rankOfLast(other, line));
    }
    return Math.min(share, line.length - ahead);
  }

  isImmediate(lane: number): boolean {
    return this.#lanes[lane].immediate;
  }

  entered(ticket: TicketNumber, lane: number, line: Line): void {
    const { skips, immediate } = this.#lanes[lane];
    if (skips > 0 || immediate) this.#waiting[lane].push(ticket, line);
  }

  /** Call before the ticket leaves the line. */
  leaving(rank: number): void {
    if (rank <= this.#settled) this.#settled--;
  }

  /** Updates the settled front to the given time. */
  settle(people: People, patienceMs: number, now: Millis): void {
    const { settled, passed } = this.#settledBy(people, patienceMs, now);
    assert(settled <= people.line.length, "more people are settled than are waiting");
    this.#settled = settled;
    this.#passed = passed;
  }

  /** Tickets are in order of time, so only those whose patience has run out since the last call are checked. */
  #settledBy({ line, roster, particulars }: People, patienceMs: number, now: Millis) {
    const last = new Map<number, TicketNumber>();
    let passed = this.#passed;
    for (let row = roster.rowsUpTo(passed); row < roster.remembered; row++) {
      const ticket = roster.ticketAt(row);
      if (now - roster.enteredAt(ticket) <= patienceMs) break;
      if (roster.stateOf(ticket) === "waiting") last.set(particulars.laneOf(ticket), ticket);
      passed = ticket;
    }
    let settled = this.#settled;
    // Within a lane, the newest ticket is last.
    for (const ticket of last.values()) settled = Math.max(settled, line.rank(ticket));
    return { settled, passed };
  }

  save(): { readonly settled: number; readonly passed: number } {
    return { settled: this.#settled, passed: this.#passed };
  }

  #rankOfLast(lane: number, line: Line): number {
    const waiting = this.#waiting[lane];
    let last = waiting.last();
    while (last !== undefined && !line.has(last)) {
      waiting.pop();
      last = waiting.last();
    }
    return last === undefined ? 0 : line.rank(last);
  }
}

/** Tickets, the newest on top. */
class Stack {
  #tickets = new Uint32Array(16);
  #size = 0;

  push(ticket: TicketNumber, line: Line): void {
    if (this.#size === this.#tickets.length) this.#sweep(line);
    this.#tickets[this.#size++] = ticket;
  }

  pop(): void {
    this.#size--;
  }

  last(): TicketNumber | undefined {
    return this.#size === 0 ? undefined : (this.#tickets[this.#size - 1] as TicketNumber);
  }

  /**
   * Drops tickets that were admitted from the front. They lie at the bottom, so in a lane that is never empty they
   * would accumulate.
   */
  #sweep(line: Line): void {
    const waiting = this.#tickets.filter((ticket) => line.has(ticket as TicketNumber));
    this.#size = waiting.length;
    this.#tickets = grown(waiting, Math.max(16, 2 * waiting.length));
  }
}
