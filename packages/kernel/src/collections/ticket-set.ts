import type { TicketNumber } from "../values.ts";

const pageBits = 12;
const pageTickets = 1 << pageBits;

interface Page {
  readonly bits: Uint8Array;
  size: number;
}

/** A set of tickets: a bit each, in pages that come with the first of their tickets and go with the last. */
export class TicketSet {
  readonly #pages = new Map<number, Page>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(ticket: number): boolean {
    if (this.#size === 0) return false;
    const page = this.#pages.get(ticket >>> pageBits);
    return page !== undefined && (page.bits[byteOf(ticket)] & bitOf(ticket)) !== 0;
  }

  /** False when it was in already. */
  add(ticket: TicketNumber): boolean {
    if (this.has(ticket)) return false;
    const number = ticket >>> pageBits;
    const page = this.#pages.get(number) ?? { bits: new Uint8Array(pageTickets >>> 3), size: 0 };
    this.#pages.set(number, page);
    page.bits[byteOf(ticket)] |= bitOf(ticket);
    page.size++;
    this.#size++;
    return true;
  }

  /** False when it was not in. */
  delete(ticket: TicketNumber): boolean {
    if (!this.has(ticket)) return false;
    const number = ticket >>> pageBits;
    const page = this.#pages.get(number)!;
    page.bits[byteOf(ticket)] &= ~bitOf(ticket);
    if (--page.size === 0) this.#pages.delete(number);
    this.#size--;
    return true;
  }

  /** In ascending order, so that it does not depend on the order in which they were added. */
  toArray(): Uint32Array {
    const tickets = new Uint32Array(this.#size);
    let filled = 0;
    for (const number of [...this.#pages.keys()].sort((a, b) => a - b)) {
      const { bits } = this.#pages.get(number)!;
      for (let offset = 0; offset < pageTickets; offset++)
        if (bits[offset >>> 3] & (1 << (offset & 7))) tickets[filled++] = number * pageTickets + offset;
    }
    return tickets;
  }
}

const byteOf = (ticket: number) => (ticket & (pageTickets - 1)) >>> 3;
const bitOf = (ticket: number) => 1 << (ticket & 7);
