import type { Timer } from "../../clock.ts";
import type { Outgoing, StreamName } from "../../log/log.ts";
import { Backoff } from "./backoff.ts";
import { type DeliveryCounts, DeliveryHandlers, type HandlerDeps, isInside } from "./delivery-handlers.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import { Gaps } from "./gaps.ts";

export interface OutboxDeps extends HandlerDeps {
  /** With this many queues, reading pauses until some have ended. */
  readonly queuesMax?: number;
}

const pageItems = 500;
const gapsMs = 200;
/** More than the possible number of conversations: channels that cannot send must not block results for ladders. */
const outboxLimits = { queuesMax: 120_000 } as const;

/**
 * LD12, CH7: delivers the effects of entries to other streams and to people, until each has arrived. It reads the list of
 * effects and puts each into the queue of its route. After a crash, effects not marked as delivered are sent again: streams
 * ignore duplicates by version, people may get a message twice.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #handlers: DeliveryHandlers;
  readonly #queues = new Map<string, DeliveryQueue>();
  readonly #queuesMax: number;
  #state: "idle" | "running" | "again" | "stopped" = "idle";
  #reading: Promise<void> = Promise.resolve();
  #seen = 0;
  /** There were too many queues, so some effects may not have been read. */
  #isFull = false;
  #retry: Timer | undefined;
  readonly #backoff = new Backoff();
  readonly #gaps: Gaps;
  #gapsTimer: Timer | undefined;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
    this.#handlers = new DeliveryHandlers(deps);
    this.#queuesMax = deps.queuesMax ?? outboxLimits.queuesMax;
    this.#gaps = new Gaps(deps.log.outboxLateMs);
  }

  get counts(): DeliveryCounts {
    return this.#handlers.counts;
  }

  isInside(to: StreamName): boolean {
    return isInside(this.#deps, to);
  }

  wake(): void {
    if (this.#state === "running") this.#state = "again";
    if (this.#state !== "idle") return;
    this.#state = "running";
    this.#reading = this.#readAll();
  }

  /** Resolves when nothing is under way. Effects not marked as delivered are sent again after the next start. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#retry?.cancel();
    this.#gapsTimer?.cancel();
    this.#handlers.close();
    const queues = [...this.#queues.values()].map((queue) => queue.stop());
    await Promise.all([this.#reading, ...queues]);
  }

  async #readAll(): Promise<void> {
    let isRead = false;
    try {
      await this.#readNew();
      isRead = true;
    } catch (error) {
      this.#deps.onError(error);
    }
    if (this.#state === "stopped") return;
    const isWanted = this.#state === "again";
    this.#state = "idle";
    if (!isRead) this.#tryLater();
    else this.#backoff.reset();
    this.#watchGaps();
    if (isRead && isWanted) this.wake();
  }

  #tryLater(): void {
    if (this.#retry) return;
    this.#retry = this.#deps.clock.after(this.#backoff.next(), () => {
      this.#retry = undefined;
      this.wake();
    });
  }

  async #readNew(): Promise<void> {
    for (;;) {
      this.#isFull = this.#queues.size >= this.#queuesMax;
      if (this.#isFull) return;
      const page = await this.#deps.log.outbox(this.#seen, pageItems);
      // Read gaps after the page: a sender wrote the items in gaps before those in the page, so they must come first.
      const late = await this.#readGaps();
      if (this.#state === "stopped") return;
      this.#give([...late, ...page]);
      if (page.length === 0) return;
      const numbers = page.map(({ number }) => number);
      this.#gaps.pass(this.#seen, numbers, this.#deps.clock.elapsed());
      this.#seen = numbers[numbers.length - 1];
    }
  }

  async #readGaps(): Promise<Outgoing[]> {
    const late: Outgoing[] = [];
    for (const { after, upTo } of this.#gaps.at(this.#deps.clock.elapsed())) {
      const page = await this.#deps.log.outbox(after, Math.min(pageItems, upTo - after));
      late.push(...page.filter(({ number }) => number <= upTo));
    }
    for (const { number } of late) this.#gaps.fill(number);
    return late.sort((one, other) => one.number - other.number);
  }

  #watchGaps(): void {
    if (this.#gapsTimer || this.#gaps.at(this.#deps.clock.elapsed()).length === 0) return;
    this.#gapsTimer = this.#deps.clock.after(gapsMs, () => {
      this.#gapsTimer = undefined;
      this.wake();
    });
  }

  #give(page: readonly Outgoing[]): void {
    const begun: DeliveryQueue[] = [];
    for (const item of page) {
      const route = this.#handlers.routeOf(item);
      const key = `${route.from} ${route.to}`;
      let queue = this.#queues.get(key);
      if (!queue) {
        const deps = { ...this.#deps, counts: this.counts, onEnd: () => this.#end(key) };
        queue = new DeliveryQueue(route, this.#handlers.handlerFor(route), deps);
        this.#queues.set(key, queue);
        begun.push(queue);
      }
      queue.give(item);
    }
    // Start last, so that items from one page are delivered together.
    for (const queue of begun) queue.start();
  }

  #end(key: string): void {
    this.#queues.delete(key);
    if (this.#isFull) this.wake();
  }
}
