import type { Inbox, Refusal } from "@openseat/kernel";
import type { Clock } from "../../clock.ts";
import type { Log, Outgoing, Route, StreamName } from "../../log/log.ts";
import { Slots } from "../slots.ts";
import { kindOf } from "../streams.ts";
import type { ChannelSender, Sending } from "./channel-sender.ts";
import type { DeliveryHandler } from "./delivery-queue.ts";
import { WriteBatcher } from "./write-batcher.ts";

export interface DeliveryCounts {
  arrived: number;
  refused: number;
  sent: number;
  setAside: number;
  held: number;
}

export interface HandlerDeps {
  readonly counts?: DeliveryCounts;
  readonly log: Log;
  readonly clock: Clock;
  readonly deciders: Readonly<Record<string, { readonly inbox?: Inbox<unknown> }>>;
  readonly senders: Readonly<Record<string, ChannelSender>>;
  readonly ask: (
    to: StreamName,
    ask: { readonly command: unknown; readonly by: string },
  ) => Promise<{ readonly refusal: Refusal } | object>;
  readonly unsendable: "retry" | "failure";
  readonly onError: (error: unknown) => void;
}

const limits = {
  parcelItemsMax: 500,
  senderItemsMax: 20,
  sendsMax: 16,
  /** Streams that receive deliveries at the same time. Each may have to be loaded, and requests must not wait for all of them. */
  streamsMax: 256,
  /** After this many failures in a row (about 15 minutes), a message becomes a dead letter. */
  attemptsMax: 20,
  waitMsMax: 60 * 60_000,
  reasonLengthMax: 500,
} as const;

/** Shorter waits are replaced by the backoff: otherwise a queue would retry without a pause. */
const waitMsMin = 1_000;

/** Refusals that may be temporary, such as when the disk is full or the ladder cannot be read. */
const passing: readonly Refusal["code"][] = ["server.fault", "log.damaged"];

export class DeliveryHandlers {
  readonly #deps: HandlerDeps;
  readonly counts: DeliveryCounts;
  readonly #slots: ReadonlyMap<string, Slots>;
  readonly #streams = new Slots(limits.streamsMax);
  readonly #deliveredWrites: WriteBatcher<number>;

  constructor(deps: HandlerDeps) {
    this.#deps = deps;
    this.counts = deps.counts ?? noDeliveries();
    this.#deliveredWrites = new WriteBatcher((numbers) => deps.log.delivered(numbers), deps.clock);
    this.#slots = new Map(Object.keys(deps.senders).map((kind) => [kind, new Slots(limits.sendsMax)]));
  }

  /** Receiving streams need order per sender only. People read one sequence from all senders. */
  routeOf({ from, to }: Outgoing): Route {
    const isBySender = isInside(this.#deps, to) && !this.#deps.deciders[kindOf(to)].inbox!.isOrdered;
    return isBySender ? { from, to } : { to };
  }

  handlerFor({ to }: Route): DeliveryHandler {
    return isInside(this.#deps, to) ? this.#toStream(to) : this.#toChannelSender(to);
  }

  close(): void {
    for (const slots of [this.#streams, ...this.#slots.values()]) slots.close();
  }

  #toStream(to: StreamName): DeliveryHandler {
    const { log, clock, deciders, ask, onError } = this.#deps;
    return {
      itemsMax: limits.parcelItemsMax,
      handle: async (held) => {
        const [{ from }] = held;
        const end = held.findIndex((item) => item.from !== from);
        const items = end < 0 ? held : held.slice(0, end);
        const command = deciders[kindOf(to)].inbox!.receive(from, items);
        if (!(await this.#streams.take())) return { done: 0 };
        const outcome = await ask(to, { command, by: "@outbox" }).finally(() => this.#streams.release());
        const refusal = "refusal" in outcome ? outcome.refusal : undefined;
        const numbers = items.map(({ number }) => number);
        if (!refusal || refusal.code === "delivery.repeated") {
          await this.#deliveredWrites.add(numbers);
          this.counts.arrived += items.length;
        } else if (refusal.retryable || passing.includes(refusal.code)) {
          return { againAfterMs: undefined };
        } else {
          onError(new Error(`A delivery from ${from} to ${to} was refused: ${refusal.message}`));
          await log.undeliverable(numbers, refusal.code, clock.now());
          this.counts.refused += items.length;
        }
        return { done: items.length };
      },
    };
  }

  #toChannelSender(to: StreamName): DeliveryHandler {
    let failures = 0;
    /** Outcome for the first item, kept until it is recorded: retrying the record must not send the message twice. */
    let outcome: Exclude<Sending, { retry: string } | { waitMs: number }> | undefined;
    return {
      itemsMax: limits.senderItemsMax,
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

  async #send(to: StreamName, { body }: Outgoing): Promise<Sending | undefined> {
    const kind = kindOf(to);
    const slots = this.#slots.get(kind);
    // The channel was turned off since, or only other nodes have it.
    const reason = "This server has no sender for this channel.";
    if (!slots) return this.#deps.unsendable === "retry" ? { retry: reason } : { failure: reason };
    if (!(await slots.take())) return undefined;
    try {
      return await this.#deps.senders[kind].send(to.slice(kind.length + 1), body);
    } catch (error) {
      this.#deps.onError(error);
      // Do not include the error message: connection errors may contain the address and the key.
      return { retry: "The sender failed. The server's logs say why." };
    } finally {
      slots.release();
    }
  }

  async #note({ number }: Outgoing, outcome: "sent" | { readonly failure: string }): Promise<void> {
    const { log, clock } = this.#deps;
    if (outcome === "sent") {
      await this.#deliveredWrites.add([number]);
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

export function isInside(
  { senders, deciders }: Pick<HandlerDeps, "senders" | "deciders">,
  to: StreamName,
): boolean {
  const kind = kindOf(to);
  return senders[kind] === undefined && deciders[kind]?.inbox !== undefined;
}

function waitFor(afterMs = 0): number | undefined {
  return afterMs > waitMsMin ? Math.min(afterMs, limits.waitMsMax) : undefined;
}
