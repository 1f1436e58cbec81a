import type { Append, AppendingLog, Log, Outgoing } from "@openseat/server";
import type { World } from "../world.ts";

/** A number taken by a transaction that is still open. */
interface Taken {
  readonly number: number;
  readonly atMs: number;
  /**
   * Streams that have sent something since. The number cannot be theirs, because the numbers of one stream are in
   * order.
   */
  readonly others: Set<string>;
}

/** A transaction that is still open after this time never commits. */
const underWayMs = 2_000;

/**
 * Assigns outbox numbers when a transaction starts to write and shows them when it commits, as PostgreSQL does. A
 * lower number may appear after a higher one, or never.
 */
export function withLateNumbers<Store extends AppendingLog>(store: Store, world: World): Store {
  const numbers = new Numbers(world);
  const outgoing = async (after: number) =>
    (await store.outbox(0, Number.MAX_SAFE_INTEGER))
      .map((item) => numbers.shown(item))
      .filter(({ number }) => number > after)
      .sort((a, b) => a.number - b.number);
  const methods: Partial<AppendingLog> = {
    async append(appends) {
      const outcomes = await store.append(appends);
      await numbers.take(store, appends);
      return outcomes;
    },
    outbox: async (after, limit) => (await outgoing(after)).slice(0, limit),
    async outboxOf({ from, to }, { after, upTo }, limit) {
      const isOnIt = (item: Outgoing) => item.to === to && (from === undefined || item.from === from);
      return (await outgoing(after)).filter((item) => item.number <= upTo && isOnIt(item)).slice(0, limit);
    },
    delivered: (shown) => store.delivered(shown.map((number) => numbers.stored(number))),
    undeliverable: (shown, reason, at) =>
      store.undeliverable(
        shown.map((number) => numbers.stored(number)),
        reason,
        at,
      ),
    async deadLetters(before = Number.MAX_SAFE_INTEGER, limit) {
      const all = await store.deadLetters(undefined, Number.MAX_SAFE_INTEGER);
      const shown = all.map((letter) => numbers.shown(letter)).filter(({ number }) => number < before);
      return shown.sort((a, b) => b.number - a.number).slice(0, limit);
    },
    async resend(number) {
      const item = await store.resend(numbers.stored(number));
      return item && numbers.shown(item);
    },
    discard: (number) => store.discard(numbers.stored(number)),
  };
  return new Proxy(store, {
    get(target, name) {
      const found = methods[name as keyof AppendingLog] ?? Reflect.get(target, name);
      return typeof found === "function" ? found.bind(target) : found;
    },
  });
}

/** The public number of each message. */
class Numbers {
  readonly #world: World;
  readonly #shown = new Map<number, number>();
  readonly #stored = new Map<number, number>();
  #taken: Taken[] = [];
  #last = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Numbers what was just appended, sometimes with numbers taken earlier. */
  async take(store: Log, appends: readonly Append[]): Promise<void> {
    const streams = appends.map(({ stream }) => stream);
    for (const { number, from } of await store.outbox(0, Number.MAX_SAFE_INTEGER))
      if (streams.includes(from) && !this.#shown.has(number)) this.#name(number, from);
  }

  shown<Item extends Outgoing>(item: Item): Item {
    // A resent message gets a number after all others.
    if (!this.#shown.has(item.number)) this.#set(item.number, ++this.#last);
    return { ...item, number: this.#shown.get(item.number)! };
  }

  stored(shown: number): number {
    return this.#stored.get(shown) ?? shown;
  }

  #name(stored: number, from: string): void {
    const { elapsedMs, random } = this.#world;
    this.#taken = this.#taken.filter(({ atMs }) => elapsedMs - atMs < underWayMs);
    const early = this.#taken.findIndex(({ others }) => !others.has(from));
    let number: number;
    if (early >= 0 && random.chance(0.5)) [{ number }] = this.#taken.splice(early, 1);
    else {
      if (random.chance(0.3)) this.#taken.push({ number: ++this.#last, atMs: elapsedMs, others: new Set() });
      number = ++this.#last;
    }
    for (const { others } of this.#taken) others.add(from);
    this.#set(stored, number);
  }

  #set(stored: number, shown: number): void {
    this.#shown.set(stored, shown);
    this.#stored.set(shown, stored);
  }
}
