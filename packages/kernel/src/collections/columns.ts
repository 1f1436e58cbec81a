/**
 * The column itself when it holds `length` values; otherwise a copy at least twice as long, zero-filled. The old
 * buffer does not change, so a view of it that is being written to disk stays valid.
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

/** A new column with the values of these rows, in this order. */
export function picked<Column extends Uint8Array | Uint32Array | Float64Array>(
  column: Column,
  rows: Uint32Array,
): Column {
  const Picked = column.constructor as new (length: number) => Column;
  const values = new Picked(rows.length);
  for (let index = 0; index < rows.length; index++) values[index] = column[rows[index]];
  return values;
}

/** Consecutive keys per page. */
const PAGE_BITS = 3;
const PAGE = 1 << PAGE_BITS;

/** Memory of one page: its number, then the values of its keys. */
const STRIDE = 1 + PAGE;

/**
 * A number per key; 0 for all other keys. Keys are added in ascending order and removed in any order. Values are in
 * pages, and empty pages are dropped: a single array would need memory for every key since the oldest, even if
 * millions have come and gone.
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

  /** Sets the value of an added key; 0 removes it. */
  set(key: number, value: number): void {
    this.#pages[this.#slotOf(key)] = value;
  }

  /** Adds a key that is greater than all earlier ones. */
  add(key: number, value: number): void {
    const number = key >>> PAGE_BITS;
    if (this.#count === 0 || this.#pages[(this.#count - 1) * STRIDE] !== number) {
      if (this.#count * STRIDE === this.#pages.length) this.sweep();
      this.#pages[this.#count++ * STRIDE] = number;
    }
    this.#pages[(this.#count - 1) * STRIDE + 1 + (key % PAGE)] = value;
  }

  /** Drops empty pages, and makes space for twice the remaining ones. */
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

  /** The index of a key's value, or -1. */
  #slotOf(key: number): number {
    if (this.#count === 0 || key >>> 0 !== key) return -1;
    const pages = this.#pages;
    const number = key >>> PAGE_BITS;
    const last = this.#count - 1;
    // Page numbers rise by at least one, so without gaps only one page is left. With gaps, search the rest by halves.
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
