import type { Clock } from "../../clock.ts";

/** Batches small writes: items added during one write form the next. One flush per item would delay commits. */
export class WriteBatcher<Item> {
  readonly #write: (items: readonly Item[]) => Promise<void>;
  readonly #clock: Clock;
  #items: Item[] = [];
  #next: Promise<void> | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(write: (items: readonly Item[]) => Promise<void>, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  add(items: readonly Item[]): Promise<void> {
    this.#items.push(...items);
    this.#next ??= this.#writeNext();
    return this.#next;
  }

  async #writeNext(): Promise<void> {
    // The callers of that write get its error through their own promise.
    await this.#underWay.catch(() => {});
    await new Promise<void>((resolve) => this.#clock.soon(resolve));
    const items = this.#items;
    this.#items = [];
    this.#next = undefined;
    this.#underWay = this.#write(items);
    await this.#underWay;
  }
}
