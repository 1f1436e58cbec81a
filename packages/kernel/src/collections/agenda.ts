import { grown } from "./columns.ts";

/**
 * Tickets by due time, earliest first: a binary heap. Entries that become invalid early are not searched for. The
 * caller says which entries are still valid, and invalid ones are dropped when they come first, or when they are most
 * of the agenda.
 */
export class Agenda {
  readonly #holds: (ticket: number, at: number) => boolean;
  #at = new Float64Array(16);
  #ticket = new Uint32Array(16);
  #size = 0;

  constructor(holds: (ticket: number, at: number) => boolean) {
    this.#holds = holds;
  }

  add(ticket: number, at: number): void {
    this.#at = grown(this.#at, this.#size + 1);
    this.#ticket = grown(this.#ticket, this.#size + 1);
    this.#rise(this.#size++, ticket, at);
  }

  /** Drops invalid entries at the front, or all of them when they are the majority. `living` is how many are valid. */
  tidy(living: number): void {
    while (this.#size > 0 && !this.#holds(this.#ticket[0], this.#at[0])) this.#dropFirst();
    if (this.#size <= 2 * living + 64) return;
    const size = this.#size;
    const kept: [number, number][] = [];
    for (let i = 0; i < size; i++)
      if (this.#holds(this.#ticket[i], this.#at[i])) kept.push([this.#ticket[i], this.#at[i]]);
    this.#size = 0;
    for (const [ticket, at] of kept) this.add(ticket, at);
  }

  /** The earliest time; undefined when the agenda is empty. Call right after `tidy`. */
  get next(): number | undefined {
    return this.#size === 0 ? undefined : this.#at[0];
  }

  /** At most `max` tickets that are due by `now`, in order of time and ticket. They stay on the agenda. */
  due(now: number, max: number): number[] {
    const due: number[] = [];
    const times: number[] = [];
    // Drop invalid entries on the way: a million of them, checked again on every tick, would block everybody.
    for (; this.#size > 0 && this.#at[0] <= now && due.length < max; this.#dropFirst()) {
      if (!this.#holds(this.#ticket[0], this.#at[0])) continue;
      due.push(this.#ticket[0]);
      times.push(this.#at[0]);
    }
    due.forEach((ticket, index) => {
      this.add(ticket, times[index]);
    });
    return due;
  }

  /** All valid tickets, in no particular order. */
  *[Symbol.iterator](): Iterator<number> {
    for (let i = 0; i < this.#size; i++) if (this.#holds(this.#ticket[i], this.#at[i])) yield this.#ticket[i];
  }

  #isBefore(a: number, b: number): boolean {
    const difference = this.#at[a] - this.#at[b] || this.#ticket[a] - this.#ticket[b];
    return difference < 0;
  }

  #rise(from: number, ticket: number, at: number): void {
    let slot = from;
    while (slot > 0) {
      const up = (slot - 1) >> 1;
      if (this.#at[up] < at || (this.#at[up] === at && this.#ticket[up] < ticket)) break;
      this.#at[slot] = this.#at[up];
      this.#ticket[slot] = this.#ticket[up];
      slot = up;
    }
    this.#at[slot] = at;
    this.#ticket[slot] = ticket;
  }

  #dropFirst(): void {
    const last = --this.#size;
    const at = this.#at[last];
    const ticket = this.#ticket[last];
    let slot = 0;
    for (let child = 1; child < last; child = 2 * slot + 1) {
      if (child + 1 < last && this.#isBefore(child + 1, child)) child++;
      if (at < this.#at[child] || (at === this.#at[child] && ticket < this.#ticket[child])) break;
      this.#at[slot] = this.#at[child];
      this.#ticket[slot] = this.#ticket[child];
      slot = child;
    }
    this.#at[slot] = at;
    this.#ticket[slot] = ticket;
  }
}
