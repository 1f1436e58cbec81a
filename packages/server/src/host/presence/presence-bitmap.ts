const pageBits = 12;
const pageBytes = 1 << (pageBits - 3);
const numberBytes = 4;

/**
 * The set of tickets that sent heartbeats, one bit each. Pages are allocated on first use: a single array from ticket 1 would
 * use memory for everybody who ever left the room. Packed for other nodes, each page is its number and its bits.
 */
export class PresenceBitmap {
  readonly #pages = new Map<number, Uint8Array>();
  /** The page of the last lookup. Lookups mostly follow the order of tickets. */
  #latest: Uint8Array | undefined;
  #latestNumber = -1;

  add(ticket: number): void {
    if (!(ticket > 0)) return;
    const number = ticket >>> pageBits;
    let page = this.#pages.get(number);
    if (!page) {
      page = new Uint8Array(pageBytes);
      this.#pages.set(number, page);
      this.#latestNumber = -1;
    }
    page[(ticket >>> 3) % pageBytes] |= 1 << (ticket & 7);
  }

  has(ticket: number): boolean {
    const number = ticket >>> pageBits;
    if (number !== this.#latestNumber) {
      this.#latest = this.#pages.get(number);
      this.#latestNumber = number;
    }
    const page = this.#latest;
    return page !== undefined && (page[(ticket >>> 3) % pageBytes] & (1 << (ticket & 7))) !== 0;
  }

  get bytes(): number {
    return this.#pages.size * pageBytes;
  }

  pack(): Uint8Array {
    const packed = new Uint8Array(this.#pages.size * (numberBytes + pageBytes));
    const numbers = new DataView(packed.buffer);
    let at = 0;
    for (const [number, page] of this.#pages) {
      numbers.setUint32(at, number);
      packed.set(page, at + numberBytes);
      at += numberBytes + pageBytes;
    }
    return packed;
  }

  static *tickets(packed: Uint8Array): Generator<number> {
    const numbers = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
    for (let at = 0; at + numberBytes + pageBytes <= packed.length; at += numberBytes + pageBytes) {
      const first = numbers.getUint32(at) * pageBytes * 8;
      for (let byte = 0; byte < pageBytes; byte++) {
        const bits = packed[at + numberBytes + byte];
        for (let bit = 0; bits >> bit > 0; bit++) if ((bits >> bit) & 1) yield first + byte * 8 + bit;
      }
    }
  }
}
