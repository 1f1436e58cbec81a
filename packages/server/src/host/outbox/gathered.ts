import type { Clock } from "../../clock.ts";

/**
 * Small writes that come side by side, in one go: those that come while one is under way make the next. Each with a flush of
 * its own, as many as there are lanes, would keep what people wait for from the disk.
 */
export class Gathered<Item> {
  readonly #write: (items: readonly Item[]) => Promise<void>;
  readonly #clock: Clock;
  #items: Item[] = [];
  #next: Promise<void> | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(write: (items: readonly Item[]) => Promise<void>, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** Resolves when they are written; rejects when what they were written with was not. */
  add(items: readonly Item[]): Promise<void> {
    this.#items.push(...items);
    this.#next ??= this.#writeNext();
    return this.#next;
  }

  async #writeNext(): Promise<void> {
    // Whoever added to the one before is told of its failure.
    await this.#underWay.catch(() => {});
    await new Promise<void>((resolve) => this.#clock.soon(resolve));
    const items = this.#items;
    this.#items = [];
    this.#next = undefined;
    this.#underWay = this.#write(items);
    await this.#underWay;
  }
}
