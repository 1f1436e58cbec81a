import { IndexedHeap } from "./indexed-heap.ts";

/** Greater than every item number, so that one more item weighs more than any age. */
const aboveItems = 2 ** 32;

/**
 * LM6: numbered items in a backlog, by sender. When there are too many, the oldest item of the sender with most items
 * is evicted; among senders with equally many, the one whose oldest item is older. This depends only on the items, so
 * it is the same after a restart. Items are added in the order of their numbers.
 */
export class Backlog<Sender extends string | number> {
  readonly #items = new Map<Sender, Set<number>>();
  readonly #senders = new IndexedHeap<Sender>();

  add(sender: Sender, item: number): void {
    const items = this.#items.get(sender);
    if (items) items.add(item);
    else this.#items.set(sender, new Set([item]));
    this.#weigh(sender);
  }

  remove(sender: Sender, item: number): void {
    if (this.#items.get(sender)?.delete(item)) this.#weigh(sender);
  }

  /** Oldest first. */
  of(sender: Sender): ReadonlySet<number> {
    return this.#items.get(sender) ?? none;
  }

  get oldestOfHeaviest(): number | undefined {
    const { first } = this.#senders;
    return first === undefined ? undefined : oldestOf(this.of(first));
  }

  #weigh(sender: Sender): void {
    const items = this.of(sender);
    const oldest = oldestOf(items);
    if (oldest !== undefined) {
      this.#senders.put(sender, oldest - items.size * aboveItems);
      return;
    }
    this.#senders.remove(sender);
    this.#items.delete(sender);
  }
}

const none: ReadonlySet<number> = new Set();

function oldestOf(items: ReadonlySet<number>): number | undefined {
  return items.values().next().value;
}
