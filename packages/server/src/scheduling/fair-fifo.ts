import { Fifo } from "./fifo.ts";

/** One queue per source, served round-robin. A source that adds many items delays only itself. */
export class FairFifo<Item> {
  readonly #queues = new Map<string, Fifo<Item>>();
  /** Sources with waiting items, the next to be served first. */
  readonly #order = new Fifo<string>();

  get isEmpty(): boolean {
    return this.#order.length === 0;
  }

  push(source: string, item: Item): void {
    let queue = this.#queues.get(source);
    if (!queue) {
      queue = new Fifo();
      this.#queues.set(source, queue);
      this.#order.push(source);
    }
    queue.push(item);
  }

  shift(): Item | undefined {
    const source = this.#order.shift();
    if (source === undefined) return undefined;
    const queue = this.#queues.get(source)!;
    const item = queue.shift();
    if (queue.length > 0) this.#order.push(source);
    else this.#queues.delete(source);
    return item;
  }
}
