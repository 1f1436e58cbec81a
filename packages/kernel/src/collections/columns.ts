/**
 * The column itself when it already holds `length` values, else a copy at least twice as long, the new part zero.
 * The old buffer is left as it was, so a view of it that someone is still writing to disk stays true.
 */
export function grown<Column extends Uint8Array | Uint32Array | Float64Array>(
  column: Column,
  length: number,
): Column {
  if (length <= column.length) return column;
  const Longer = column.constructor as new (length: number) => Column;
  const longer = new Longer(Math.max(length, 2 * column.length));
  longer.set(column);
  return longer;
}

/** A column of its own with the values of these rows, in this order. */
export function picked<Column extends Uint8Array | Uint32Array | Float64Array>(
  column: Column,
  rows: Uint32Array,
): Column {
  const Picked = column.constructor as new (length: number) => Column;
  const values = new Picked(rows.length);
  for (let index = 0; index < rows.length; index++) values[index] = column[rows[index]];
  return values;
}

/** Consecutive keys in a page. */
const PAGE_BITS = 3;
const PAGE = 1 << PAGE_BITS;

/** A page in memory: its number, then the values of its keys. */
const STRIDE = 1 + PAGE;

/**
 * A number for each of some keys that come in ascending order and go in any; 0 for all other keys. It is in pages, of
 * which empty ones are dropped: with one array from the oldest key to the newest, one person who waits while millions
 * come and go would keep room for them all.
 */
export class SparseColumn {
  #pages = new Uint32Array(STRIDE); // ascending by number
  #count = 0;

  /** Bytes allocated. */
  get bytes(): number {
    return this.#pages.byteLength;
  }

  get(key: number): number {
    const slot = this.#slotOf(key);
    return slot < 0 ? 0 : this.#pages[slot];
  }

  /** For a key that was added; 0 takes it away. */
  set(key: number, value: number): void {
    this.#pages[this.#slotOf(key)] = value;
  }

  /** For a key greater than all before it. */
  add(key: number, value: number): void {
    const number = key >>> PAGE_BITS;
    if (this.#count === 0 || this.#pages[(this.#count - 1) * STRIDE] !== number) {
      if (this.#count * STRIDE === this.#pages.length) this.sweep();
      this.#pages[this.#count++ * STRIDE] = number;
    }
    this.#pages[(this.#count - 1) * STRIDE + 1 + (key % PAGE)] = value;
  }

  /** Drops the empty pages, and makes room for as many again as are left. */
  sweep(): void {
    const pages = this.#pages;
    let kept = 0;
    for (let start = 0; start < this.#count * STRIDE; start += STRIDE) {
      let any = 0;
      for (let slot = start + 1; slot < start + STRIDE; slot++) any |= pages[slot];
      if (any === 0) continue;
      if (kept < start) pages.copyWithin(kept, start, start + STRIDE);
      kept += STRIDE;
    }
    this.#count = kept / STRIDE;
    this.#pages = grown(pages.slice(0, kept), Math.max(2 * kept, STRIDE));
  }

  /** Where the value of a key is, or -1. */
  #slotOf(key: number): number {
    if (this.#count === 0 || key >>> 0 !== key) return -1;
    const pages = this.#pages;
    const number = key >>> PAGE_BITS;
    const last = this.#count - 1;
    // Numbers rise by one at least from page to page: without gaps that leaves one page. With gaps, halve what it leaves.
    let low = Math.max(0, last - (pages[last * STRIDE] - number));
    let high = Math.min(last, number - pages[0]);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pages[middle * STRIDE] < number) low = middle + 1;
      else high = middle;
    }
    return low === high && pages[low * STRIDE] === number ? low * STRIDE + 1 + (key % PAGE) : -1;
  }
}
