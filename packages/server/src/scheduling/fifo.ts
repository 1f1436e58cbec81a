/** Emptied slots are dropped in bulk, because `Array.shift` moves all remaining items each time. */
const droppedMin = 1_000;

export class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    // Otherwise up to a thousand consumed items, such as parts of snapshots, would stay in memory.
    this.#items[this.#head++] = undefined;
    if (this.#head > droppedMin && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
