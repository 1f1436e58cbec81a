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

/** Keys in a page. */
const PAGE = 16;
const PAGE_BITS = 4;

/**
 * A number for each of some keys that come in ascending order and go in any; 0 for all other keys. Pages of consecutive
 * keys, of which empty ones are dropped: with one array from the oldest key to the newest, one person who waits while
 * millions come and go would keep room for them all.
 */
export class SparseColumn {
  #pages = new Uint32Array(1); // key / PAGE of each page, ascending
  #values = new Uint32Array(PAGE); // PAGE of each page
  #count = 0;

  /** Bytes allocated. */
  get bytes(): number {
    return this.#pages.byteLength + this.#values.byteLength;
  }

  get(key: number): number {
    const slot = this.#find(key);
    return slot < 0 ? 0 : this.#values[slot];
  }

  /** For a key that is there; 0 takes it away. */
  set(key: number, value: number): void {
    this.#values[this.#find(key)] = value;
  }

  /** For a key greater than all before it. */
  add(key: number, value: number): void {
    const page = key >>> PAGE_BITS;
    if (this.#count === 0 || this.#pages[this.#count - 1] !== page) {
      if (this.#count === this.#pages.length) this.sweep();
      this.#pages[this.#count++] = page;
    }
    this.#values[(this.#count - 1) * PAGE + (key & (PAGE - 1))] = value;
  }

  /** Drops the empty pages, and makes room for as many again as are left. */
  sweep(): void {
    let kept = 0;
    for (let page = 0; page < this.#count; page++) {
      const start = page * PAGE;
      let any = 0;
      for (let slot = start; slot < start + PAGE; slot++) any |= this.#values[slot];
      if (any === 0) continue;
      this.#pages[kept] = this.#pages[page];
      if (kept < page) this.#values.copyWithin(kept * PAGE, start, start + PAGE);
      kept++;
    }
    this.#count = kept;
    const room = Math.max(1, 2 * kept);
    this.#pages = grown(this.#pages.slice(0, kept), room);
    this.#values = grown(this.#values.slice(0, kept * PAGE), room * PAGE);
  }

  /** The slot of a key, or -1. */
  #find(key: number): number {
    if (this.#count === 0 || key >>> 0 !== key) return -1;
    const pages = this.#pages;
    const page = key >>> PAGE_BITS;
    const last = this.#count - 1;
    // Pages ascend by one at least: without gaps that leaves one candidate. With gaps, halve what it leaves.
    let low = Math.max(0, last - (pages[last] - page));
    let high = Math.min(last, page - pages[0]);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pages[middle] < page) low = middle + 1;
      else high = middle;
    }
    return low === high && pages[low] === page ? low * PAGE + (key & (PAGE - 1)) : -1;
  }
}
