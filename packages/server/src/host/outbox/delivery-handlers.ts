import type { Inbox, Refusal } from "@openseat/kernel";
import type { Clock } from "../../clock.ts";
import type { Log, Outgoing, Route, StreamName } from "../../log/log.ts";
import { Slots } from "../slots.ts";
import type { Courier, Sending } from "./courier.ts";
import type { DeliveryHandler } from "./delivery-queue.ts";
import { Gathered } from "./gathered.ts";

/** What has become of deliveries since the start: in other streams, and outside. */
export interface DeliveryCounts {
  arrived: number;
  refused: number;
  sent: number;
  setAside: number;
  /** How many lanes wait to try something again. */
  held: number;
}

export interface HandlerDeps {
  /** Counted on, where it is given; otherwise from nothing. */
  readonly counts?: DeliveryCounts;
  readonly log: Log;
  readonly clock: Clock;
  /** By kind: what makes a command of what is delivered to a stream. */
  readonly deciders: Readonly<Record<string, { readonly inbox?: Inbox<unknown> }>>;
  /** By kind: who takes what is for somewhere outside. */
  readonly couriers: Readonly<Record<string, Courier>>;
  readonly ask: (
    to: StreamName,
    ask: { readonly command: unknown; readonly by: string },
  ) => Promise<{ readonly refusal: Refusal } | object>;
  /** What becomes of what none of the couriers takes. */
  readonly unsendable: "retry" | "failure";
  readonly onError: (error: unknown) => void;
}

const limits = {
  /** What one stream sends to another goes in parcels of so many. */
  parcelItemsMax: 500,
  /** What one lane of a courier holds in memory. */
  courierItemsMax: 20,
  /** What one kind of courier sends at once. */
  sendsMax: 16,
  /** Streams that are delivered to at once. Each may have to be read into memory, and what people ask for must not wait for all. */
  streamsMax: 256,
  /** What a courier failed to send so many times in a row is set aside: after a quarter of an hour, with pauses of a minute. */
  attemptsMax: 20,
  /** However long a courier is told to wait, it tries again after this long. */
  waitMsMax: 60 * 60_000,
  reasonLengthMax: 500,
} as const;

/** A wait that is shorter than this is not worth being told of; and without any, a lane would do nothing else. */
const waitMsMin = 1_000;

/** Refused so, it may well be taken later: the disk was full, the ladder cannot be read. */
const passing: readonly Refusal["code"][] = ["server.fault", "log.damaged"];

/** Knows for each effect which way it goes, and how it is taken there. */
export class DeliveryHandlers {
  readonly #parts: HandlerDeps;
  readonly counts: DeliveryCounts;
  /** By kind, for each courier that there is. */
  readonly #slots: ReadonlyMap<string, Slots>;
  readonly #streams = new Slots(limits.streamsMax);
  readonly #struckOff: Gathered<number>;

  constructor(parts: HandlerDeps) {
    this.#parts = parts;
    this.counts = parts.counts ?? noDeliveries();
    this.#struckOff = new Gathered((numbers) => parts.log.delivered(numbers), parts.clock);
    this.#slots = new Map(Object.keys(parts.couriers).map((kind) => [kind, new Slots(limits.sendsMax)]));
  }

  isInside(to: StreamName): boolean {
    return isInside(this.#parts, to);
  }

  /** A receiving stream tells by the order of each sender what it has had; people read what comes from all of them. */
  routeOf({ from, to }: Outgoing): Route {
    const isBySender = this.isInside(to) && !this.#parts.deciders[kindOf(to)].inbox!.isOrdered;
    return isBySender ? { from, to } : { to };
  }

  /** One of its own for each lane. */
  handlerFor({ to }: Route): DeliveryHandler {
    return this.isInside(to) ? this.#toStream(to) : this.#toCourier(to);
  }

  /** Nothing new is sent. */
  close(): void {
    for (const slots of [this.#streams, ...this.#slots.values()]) slots.close();
  }

  #toStream(to: StreamName): DeliveryHandler {
    const { log, clock, deciders, ask, onError } = this.#parts;
    return {
      itemsMax: limits.parcelItemsMax,
      handle: async (held) => {
        const [{ from }] = held;
        const items = leading(held, (item) => item.from === from);
        const command = deciders[kindOf(to)].inbox!.receive(from, items);
        if (!(await this.#streams.take())) return { done: 0 };
        const outcome = await ask(to, { command, by: "@outbox" }).finally(() => this.#streams.release());
        const refusal = "refusal" in outcome ? outcome.refusal : undefined;
        const numbers = items.map(({ number }) => number);
        if (!refusal || refusal.code === "delivery.repeated") {
          await this.#struckOff.add(numbers);
          this.counts.arrived += items.length;
        } else if (refusal.retryable || passing.includes(refusal.code)) {
          return { againAfterMs: undefined };
        } else {
          onError(new Error(`What ${from} sent to ${to} was refused: ${refusal.message}`));
          await log.undeliverable(numbers, refusal.code, clock.now());
          this.counts.refused += items.length;
        }
        return { done: items.length };
      },
    };
  }

  #toCourier(to: StreamName): DeliveryHandler {
    let failures = 0;
    /** Of the first item. Once it is sent only the note of it is tried again: nobody is to read it twice for that. */
    let outcome: Exclude<Sending, { retry: string } | { waitMs: number }> | undefined;
    return {
      itemsMax: limits.courierItemsMax,
      handle: async ([item]) => {
        if (!outcome) {
          const sending = await this.#send(to, item);
          if (!sending) return { done: 0 };
          if (sending === "sent" || "failure" in sending) outcome = sending;
          else if ("waitMs" in sending) return { againAfterMs: waitFor(sending.waitMs) };
          else if (++failures < limits.attemptsMax) return { againAfterMs: waitFor(sending.afterMs) };
          else outcome = { failure: sending.retry };
        }
        await this.#note(item, outcome);
        outcome = undefined;
        failures = 0;
        return { done: 1 };
      },
    };
  }

  /** Undefined when nothing is sent any more. */
  async #send(to: StreamName, { body }: Outgoing): Promise<Sending | undefined> {
    const kind = kindOf(to);
    const slots = this.#slots.get(kind);
    // A channel that has been turned off since, say; or that another node has, of a newer version or with other settings.
    const reason = "This server sends nothing there.";
    if (!slots) return this.#parts.unsendable === "retry" ? { retry: reason } : { failure: reason };
    if (!(await slots.take())) return undefined;
    try {
      return await this.#parts.couriers[kind].send(to.slice(kind.length + 1), body);
    } catch (error) {
      this.#parts.onError(error);
      // Not its message: an error of a connection may well name the address and the key that were used.
      return { retry: "The courier failed; the server's logs say how." };
    } finally {
      slots.release();
    }
  }

  async #note({ number }: Outgoing, outcome: "sent" | { readonly failure: string }): Promise<void> {
    const { log, clock } = this.#parts;
    if (outcome === "sent") {
      await this.#struckOff.add([number]);
      this.counts.sent++;
    } else {
      const reason = outcome.failure.slice(0, limits.reasonLengthMax);
      await log.undeliverable([number], reason, clock.now());
      this.counts.setAside++;
    }
  }
}

export function noDeliveries(): DeliveryCounts {
  return { arrived: 0, refused: 0, sent: 0, setAside: 0, held: 0 };
}

/** Whether it goes to another stream, and not outside. */
export function isInside(
  { couriers, deciders }: Pick<HandlerDeps, "couriers" | "deciders">,
  to: StreamName,
): boolean {
  const kind = kindOf(to);
  return couriers[kind] === undefined && deciders[kind]?.inbox !== undefined;
}

/** As many from the beginning as it is true of. */
function leading<Item>(items: readonly Item[], isIt: (item: Item) => boolean): readonly Item[] {
  const end = items.findIndex((item) => !isIt(item));
  return end < 0 ? items : items.slice(0, end);
}

function kindOf(to: StreamName): string {
  return to.slice(0, to.indexOf("/"));
}

function waitFor(afterMs = 0): number | undefined {
  return afterMs > waitMsMin ? Math.min(afterMs, limits.waitMsMax) : undefined;
}
