import type { TicketNumber } from "../values.ts";

const pageBits = 12;
const pageTickets = 1 << pageBits;

interface Page {
  readonly bits: Uint8Array;
  size: number;
}

/** A set of tickets: one bit per ticket, in pages that are added and removed as needed. */
export class TicketSet {
  /** By page number. */
  readonly #pages: (Page | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(ticket: number): boolean {
    const page = this.#pages[ticket >>> pageBits];
    return page !== undefined && (page.bits[byteOf(ticket)] & bitOf(ticket)) !== 0;
  }

  /** False when the ticket was already in the set. */
  add(ticket: TicketNumber): boolean {
    if (this.has(ticket)) return false;
    const number = ticket >>> pageBits;
    // Fill the gap: an array with a large gap would become slow.
    while (this.#pages.length <= number) this.#pages.push(undefined);
    const page = this.#pages[number] ?? { bits: new Uint8Array(pageTickets >>> 3), size: 0 };
    this.#pages[number] = page;
    page.bits[byteOf(ticket)] |= bitOf(ticket);
    page.size++;
    this.#size++;
    return true;
  }

  /** False when the ticket was not in the set. */
  delete(ticket: TicketNumber): boolean {
    if (!this.has(ticket)) return false;
    const number = ticket >>> pageBits;
    const page = this.#pages[number]!;
    page.bits[byteOf(ticket)] &= ~bitOf(ticket);
    if (--page.size === 0) this.#pages[number] = undefined;
    this.#size--;
    return true;
  }

  [Symbol.iterator](): Iterator<TicketNumber> {
    return this.after(0);
  }

  /** The tickets above this one, in ascending order, independent of the order of insertion. */
  *after(ticket: number): Generator<TicketNumber> {
    let next = ticket + 1;
    for (let number = next >>> pageBits; number < this.#pages.length; number++) {
      const end = (number + 1) * pageTickets;
      const bits = this.#pages[number]?.bits;
      for (; bits !== undefined && next < end; next++)
        if (bits[byteOf(next)] & bitOf(next)) yield next as TicketNumber;
      next = end;
    }
  }

  toArray(): Uint32Array {
    return Uint32Array.from(this);
  }
}

const byteOf = (ticket: number) => (ticket & (pageTickets - 1)) >>> 3;
const bitOf = (ticket: number) => 1 << (ticket & 7);
