import { assert } from "../values.ts";

/**
 * A binary min-heap of keys by weight that knows the position of each key, so any change costs O(log n). Ties go to
 * the smaller key, so the first key does not depend on the order of insertion and is the same after a restart.
 */
export class IndexedHeap<Key extends string | number> {
  readonly #keys: Key[] = [];
  readonly #weights: number[] = [];
  readonly #slots = new Map<Key, number>();

  get size(): number {
    return this.#keys.length;
  }

  get first(): Key | undefined {
    return this.#keys[0];
  }

  /** Sets the weight of a key, adding the key if necessary. */
  put(key: Key, weight: number): void {
    this.#settle(key, weight, this.#slots.get(key) ?? this.#keys.length);
  }

  remove(key: Key): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#slots.delete(key);
    const last = this.#keys.pop();
    const weight = this.#weights.pop();
    assert(last !== undefined && weight !== undefined, "a heap without some of its keys");
    if (last !== key) this.#settle(last, weight, slot);
  }

  #settle(key: Key, weight: number, from: number): void {
    const slot = this.#risen(key, weight, from);
    this.#place(key, weight, slot === from ? this.#sunk(key, weight, from) : slot);
  }

  #risen(key: Key, weight: number, from: number): number {
    let slot = from;
    while (slot > 0) {
      const up = (slot - 1) >> 1;
      if (this.#isBefore(up, key, weight)) break;
      this.#place(this.#keys[up], this.#weights[up], slot);
      slot = up;
    }
    return slot;
  }

  #sunk(key: Key, weight: number, from: number): number {
    let slot = from;
    for (let child = 2 * slot + 1; child < this.#keys.length; child = 2 * slot + 1) {
      const right = child + 1;
      const isRight =
        right < this.#keys.length && this.#isBefore(right, this.#keys[child], this.#weights[child]);
      if (isRight) child = right;
      if (!this.#isBefore(child, key, weight)) break;
      this.#place(this.#keys[child], this.#weights[child], slot);
      slot = child;
    }
    return slot;
  }

  #isBefore(slot: number, key: Key, weight: number): boolean {
    const own = this.#weights[slot];
    return own < weight || (own === weight && this.#keys[slot] < key);
  }

  #place(key: Key, weight: number, slot: number): void {
    this.#keys[slot] = key;
    this.#weights[slot] = weight;
    this.#slots.set(key, slot);
  }
}
