import type { Delivery, Refusal } from "@openseat/kernel";
import type { Clock, Timer } from "../clock.ts";
import type { Log, Outgoing, StreamName } from "../log/log.ts";

/** What one stream has sent to another, in order. */
interface Parcel {
  readonly from: StreamName;
  readonly to: StreamName;
  readonly items: Outgoing[];
}

export interface OutboxParts {
  readonly log: Log;
  readonly clock: Clock;
  /** Takes what a stream has sent to where it is for; undefined when it has arrived. */
  readonly deliver: (
    to: StreamName,
    from: StreamName,
    deliveries: readonly Delivery[],
  ) => Promise<Refusal | undefined>;
  readonly onError: (error: unknown) => void;
}

const pageItems = 500;
const retryMsMin = 1_000;
const retryMsMax = 60_000;

/** Refused so, it may well be taken later: the disk was full, the ladder cannot be read. */
const passing: readonly Refusal["code"][] = ["server.fault", "log.damaged"];

/**
 * LD12: delivers what entries cause in other streams, until it has arrived. What one stream sends to another arrives in
 * its order, one parcel at a time: so the other can tell by the versions what it has had before, and a crash between
 * arriving and being struck off the list makes it come twice and count once.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  /** What has become of deliveries since the start, and how many routes wait to be tried again. */
  readonly counts = { arrived: 0, refused: 0, held: 0 };
  #state: "idle" | "running" | "again" | "stopped" = "idle";
  #run: Promise<void> = Promise.resolve();
  /** The last that was looked at: what is held lies before it, and is looked at again when it is tried again. */
  #seen = 0;
  /** Routes on which something could not be delivered. Nothing behind it is, either: it would overtake it. */
  readonly #held = new Set<string>();
  #retry: Timer | undefined;
  #isRetryDue = false;
  #retryMs = retryMsMin;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Something may be there to be delivered. */
  wake(): void {
    if (this.#state === "running") this.#state = "again";
    if (this.#state !== "idle") return;
    this.#state = "running";
    this.#run = this.#deliverAll();
  }

  /** Nothing new is delivered; what is not struck off comes again after a start. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#retry?.cancel();
    await this.#run;
  }

  async #deliverAll(): Promise<void> {
    let isRead = false;
    // Only between two rounds: a round that is under way would go on behind what was held, and overtake it.
    if (this.#isRetryDue) {
      this.#isRetryDue = false;
      this.#held.clear();
      this.#seen = 0;
    }
    try {
      await this.#deliverNew();
      isRead = true;
    } catch (error) {
      this.#parts.onError(error);
    }
    if (this.#state === "stopped") return;
    const isWanted = this.#state === "again";
    this.#state = "idle";
    this.counts.held = this.#held.size;
    if (!isRead || this.#held.size > 0) this.#tryLater();
    else this.#retryMs = retryMsMin;
    if (isRead && isWanted) this.wake();
  }

  /** Only then: what others send meanwhile is no reason to try again what has just failed. */
  #tryLater(): void {
    if (this.#retry) return;
    this.#retry = this.#parts.clock.after(this.#retryMs, () => {
      this.#retry = undefined;
      this.#isRetryDue = true;
      this.wake();
    });
    this.#retryMs = Math.min(2 * this.#retryMs, retryMsMax);
  }

  /** What has come since it was last looked. */
  async #deliverNew(): Promise<void> {
    for (;;) {
      const page = await this.#parts.log.outbox(this.#seen, pageItems);
      if (page.length === 0 || this.#state === "stopped") return;
      const parcels = parcelsOf(page).filter((parcel) => !this.#held.has(routeOf(parcel)));
      await Promise.all(
        parcels.map(async (parcel) => {
          if (!(await this.#attempt(parcel))) this.#held.add(routeOf(parcel));
        }),
      );
      this.#seen = page[page.length - 1].number;
    }
  }

  /** One that fails must not leave the others to themselves: a stop, and the next round, wait for all of them. */
  async #attempt(parcel: Parcel): Promise<boolean> {
    try {
      return await this.#deliver(parcel);
    } catch (error) {
      this.#parts.onError(error);
      return false;
    }
  }

  async #deliver({ from, to, items }: Parcel): Promise<boolean> {
    const { log, deliver } = this.#parts;
    const refusal = await deliver(to, from, items);
    const numbers = items.map(({ number }) => number);
    if (!refusal || refusal.code === "delivery.repeated") {
      await log.delivered(numbers);
      this.counts.arrived += items.length;
      return true;
    }
    if (refusal.retryable || passing.includes(refusal.code)) return false;
    this.#parts.onError(new Error(`What ${from} sent to ${to} was refused: ${refusal.message}`));
    await log.undeliverable(numbers, refusal.code);
    this.counts.refused += items.length;
    return true;
  }
}

function routeOf({ from, to }: Pick<Parcel, "from" | "to">): string {
  return `${from} ${to}`;
}

function parcelsOf(page: readonly Outgoing[]): Parcel[] {
  const parcels = new Map<string, Parcel>();
  for (const item of page) {
    const route = routeOf(item);
    const parcel = parcels.get(route) ?? { from: item.from, to: item.to, items: [] };
    parcel.items.push(item);
    parcels.set(route, parcel);
  }
  return [...parcels.values()];
}
