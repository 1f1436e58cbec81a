const pageBits = 12;
const pageBytes = 1 << (pageBits - 3);

/**
 * Of whom there was a sign of life in one span of time: a bit each, by ticket. It is in pages that come with the first
 * of their tickets to be heard of: with one array from the first ticket on, a room would pay for all who ever left it.
 * At worst it does, with a bit each, when signs of life of all of them come.
 */
export class HeardWindow {
  /** The newest ticket when the span began. Whoever came later was heard of by coming. */
  readonly #newest: number;
  readonly #pages = new Map<number, Uint8Array>();

  constructor(newest: number) {
    this.#newest = newest;
  }

  hear(ticket: number): void {
    if (!(ticket > 0 && ticket <= this.#newest)) return;
    const number = ticket >>> pageBits;
    let page = this.#pages.get(number);
    if (!page) {
      page = new Uint8Array(pageBytes);
      this.#pages.set(number, page);
    }
    page[(ticket >>> 3) % pageBytes] |= 1 << (ticket & 7);
  }

  has(ticket: number): boolean {
    if (ticket > this.#newest) return true;
    const page = this.#pages.get(ticket >>> pageBits);
    return page !== undefined && (page[(ticket >>> 3) % pageBytes] & (1 << (ticket & 7))) !== 0;
  }

  /** Bytes allocated for bits. */
  get bytes(): number {
    return this.#pages.size * pageBytes;
  }
}
