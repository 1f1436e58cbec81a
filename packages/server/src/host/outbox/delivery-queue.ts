import type { Clock } from "../../clock.ts";
import type { Log, Outgoing, Route } from "../../log/log.ts";
import { Backoff } from "./backoff.ts";

/** The number of items done; or that the rest must be retried, after the given time or after a backoff. */
type Progress = { readonly done: number } | { readonly againAfterMs: number | undefined };

/** Delivers some or all of a queue's items, in order. If it throws, they are retried. */
export interface DeliveryHandler {
  /** Items that a queue keeps in memory. The rest stays in the log. */
  readonly itemsMax: number;
  handle(items: readonly Outgoing[]): Promise<Progress>;
}

export interface QueueDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly counts: { held: number };
  readonly onError: (error: unknown) => void;
  /** Called when the queue is empty, before it can get new items. */
  readonly onEnd: () => void;
}

/** Delivers the messages of one route in order. A failing message delays later ones of its route, but no other route. */
export class DeliveryQueue {
  readonly #route: Route;
  readonly #handler: DeliveryHandler;
  readonly #deps: QueueDeps;
  readonly #backoff = new Backoff();
  readonly #items: Outgoing[] = [];
  /** All items of this route up to this number are in memory or done. */
  #heldUpTo = 0;
  /** All items of this route up to this number are known. Those that are not in memory are in the log. */
  #givenUpTo = 0;
  #isReading = false;
  readonly #late: Outgoing[] = [];
  #isFailing = false;
  #isStopped = false;
  #run = Promise.resolve();
  #endPause = () => {};

  constructor(route: Route, handler: DeliveryHandler, deps: QueueDeps) {
    this.#route = route;
    this.#handler = handler;
    this.#deps = deps;
  }

  give(item: Outgoing): void {
    if (item.number <= this.#givenUpTo) {
      // Another sender wrote it after later numbers were read. Beyond `#heldUpTo`, the log returns it in order.
      if (item.number <= this.#heldUpTo) this.#items.push(item);
      else if (this.#isReading) this.#late.push(item);
      return;
    }
    // Do not keep it in memory while earlier items are only in the log: it would overtake them.
    if (this.#heldUpTo === this.#givenUpTo && this.#items.length < this.#handler.itemsMax) {
      this.#items.push(item);
      this.#heldUpTo = item.number;
    }
    this.#givenUpTo = item.number;
  }

  start(): void {
    this.#run = this.#deliverAll();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    return this.#run;
  }

  async #deliverAll(): Promise<void> {
    while (!this.#isStopped && (this.#items.length > 0 || this.#heldUpTo < this.#givenUpTo)) {
      const pauseMs = await this.#attempt();
      if (pauseMs !== undefined && !this.#isStopped) await this.#pause(pauseMs);
    }
    this.#deps.onEnd();
  }

  async #attempt(): Promise<number | undefined> {
    let againAfterMs: number | undefined;
    try {
      if (this.#items.length === 0) await this.#read();
      // The log may be empty: another server on the same log may have delivered them.
      if (this.#items.length === 0 || this.#isStopped) return undefined;
      const progress = await this.#handler.handle([...this.#items]);
      if ("done" in progress) {
        this.#items.splice(0, progress.done);
        this.#backoff.reset();
        this.#setFailing(false);
        return undefined;
      }
      againAfterMs = progress.againAfterMs;
    } catch (error) {
      this.#deps.onError(error);
    }
    this.#setFailing(true);
    return againAfterMs ?? this.#backoff.next();
  }

  async #read(): Promise<void> {
    const { itemsMax } = this.#handler;
    const upTo = this.#givenUpTo;
    this.#isReading = true;
    try {
      const page = await this.#deps.log.outboxOf(this.#route, { after: this.#heldUpTo, upTo }, itemsMax);
      this.#items.push(...page);
      this.#heldUpTo = page.length < itemsMax ? upTo : page[page.length - 1].number;
    } finally {
      this.#isReading = false;
      this.#takeLate();
    }
  }

  /** Items that arrived during the read may have been written too late to be part of it. */
  #takeLate(): void {
    const held = new Set(this.#items.map(({ number }) => number));
    for (const item of this.#late.splice(0))
      if (item.number <= this.#heldUpTo && !held.has(item.number)) this.#items.push(item);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#deps.clock.after(ms, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #setFailing(isFailing: boolean): void {
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#deps.counts.held += isFailing ? 1 : -1;
  }
}
