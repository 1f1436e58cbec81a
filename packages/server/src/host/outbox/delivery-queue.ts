import type { Clock } from "../../clock.ts";
import type { Log, Outgoing, Route } from "../../log/log.ts";
import { Backoff } from "./backoff.ts";

/** How many of the items are dealt with; or that it has to be tried again, and after how long where that is known. */
type Progress = { readonly done: number } | { readonly againAfterMs: number | undefined };

/** Takes what a lane holds to where it is for, or only the first of it. Whatever it throws is tried again, too. */
export interface DeliveryHandler {
  /** How much a lane holds in memory. The rest of what waits for it stays in the log meanwhile. */
  readonly itemsMax: number;
  handle(items: readonly Outgoing[]): Promise<Progress>;
}

export interface QueueDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly counts: { held: number };
  readonly onError: (error: unknown) => void;
  /** Told once nothing is left, before anything else can be given to it. */
  readonly onEnd: () => void;
}

/**
 * What goes one way, in its order. It runs by itself: while it waits to try something again nothing behind that is
 * delivered, and no other lane waits for it. It ends when nothing is left.
 */
export class DeliveryQueue {
  readonly #route: Route;
  readonly #handler: DeliveryHandler;
  readonly #parts: QueueDeps;
  readonly #backoff = new Backoff();
  readonly #items: Outgoing[] = [];
  /** Up to this number, it holds all that is for it or is done with it. */
  #heldUpTo = 0;
  /** Up to this number, it was told of all that is for it. What it does not hold of that is in the log. */
  #toldUpTo = 0;
  #isReading = false;
  readonly #late: Outgoing[] = [];
  #isInTrouble = false;
  #isStopped = false;
  #run = Promise.resolve();
  #endPause = () => {};

  constructor(route: Route, handler: DeliveryHandler, parts: QueueDeps) {
    this.#route = route;
    this.#handler = handler;
    this.#parts = parts;
  }

  /** Behind what was given to it before. */
  give(item: Outgoing): void {
    if (item.number <= this.#toldUpTo) {
      // Of another sender, and written after later ones were seen. What is not held up to there is read in its order.
      if (item.number <= this.#heldUpTo) this.#items.push(item);
      else if (this.#isReading) this.#late.push(item);
      return;
    }
    // Behind something that is in the log alone nothing is held: it would overtake it.
    if (this.#heldUpTo === this.#toldUpTo && this.#items.length < this.#handler.itemsMax) {
      this.#items.push(item);
      this.#heldUpTo = item.number;
    }
    this.#toldUpTo = item.number;
  }

  start(): void {
    this.#run = this.#deliverAll();
  }

  /** Resolves when what is under way is over; nothing more is begun. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    return this.#run;
  }

  async #deliverAll(): Promise<void> {
    while (!this.#isStopped && (this.#items.length > 0 || this.#heldUpTo < this.#toldUpTo)) {
      const pauseMs = await this.#attempt();
      if (pauseMs !== undefined && !this.#isStopped) await this.#pause(pauseMs);
    }
    this.#parts.onEnd();
  }

  /** How long to wait before the next one, if at all. */
  async #attempt(): Promise<number | undefined> {
    let againAfterMs: number | undefined;
    try {
      if (this.#items.length === 0) await this.#read();
      // Read, nothing may be left of it: another server on the same log was quicker.
      if (this.#items.length === 0 || this.#isStopped) return undefined;
      const progress = await this.#handler.handle([...this.#items]);
      if ("done" in progress) {
        this.#items.splice(0, progress.done);
        this.#backoff.reset();
        this.#setInTrouble(false);
        return undefined;
      }
      againAfterMs = progress.againAfterMs;
    } catch (error) {
      this.#parts.onError(error);
    }
    this.#setInTrouble(true);
    return againAfterMs ?? this.#backoff.next();
  }

  async #read(): Promise<void> {
    const { itemsMax } = this.#handler;
    const upTo = this.#toldUpTo;
    this.#isReading = true;
    try {
      const page = await this.#parts.log.outboxOf(this.#route, { after: this.#heldUpTo, upTo }, itemsMax);
      this.#items.push(...page);
      this.#heldUpTo = page.length < itemsMax ? upTo : page[page.length - 1].number;
    } finally {
      this.#isReading = false;
      this.#takeLate();
    }
  }

  /** What was given while the log was read may have been written too late to be found there. */
  #takeLate(): void {
    const held = new Set(this.#items.map(({ number }) => number));
    for (const item of this.#late.splice(0))
      if (item.number <= this.#heldUpTo && !held.has(item.number)) this.#items.push(item);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#parts.clock.after(ms, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #setInTrouble(isInTrouble: boolean): void {
    if (isInTrouble === this.#isInTrouble) return;
    this.#isInTrouble = isInTrouble;
    this.#parts.counts.held += isInTrouble ? 1 : -1;
  }
}
