import type { Refusal } from "@openseat/kernel";
import type { DeadLetter, Log } from "../../log/log.ts";
import type { Membership } from "../cluster/membership.ts";
import type { Outbox } from "./outbox.ts";

const unknown: Refusal = {
  code: "delivery.not-found",
  message: "There is no dead letter with this number. It may have been resent or discarded already.",
};

const pageLetters = 500;

/** Messages that could not be delivered. Operators can inspect, resend or discard them. */
export class DeadLetters {
  readonly #log: Log;
  readonly #outbox: Pick<Outbox, "wake" | "isInside">;
  readonly #membership: Pick<Membership, "announce">;

  constructor(log: Log, outbox: Pick<Outbox, "wake" | "isInside">, membership: Pick<Membership, "announce">) {
    this.#log = log;
    this.#outbox = outbox;
    this.#membership = membership;
  }

  list(before: number | undefined, limit: number): Promise<DeadLetter[]> {
    return this.#log.deadLetters(before, limit);
  }

  /**
   * Resends up to `limit` of the latest letters to one kind of receiver, such as `telegram`, in their order. Returns how many.
   */
  async resendAll(kind: string, limit: number): Promise<number> {
    const numbers: number[] = [];
    let before: number | undefined;
    while (numbers.length < limit) {
      const page = await this.#log.deadLetters(before, pageLetters);
      if (page.length === 0) break;
      for (const { number, to } of page) if (to.startsWith(`${kind}/`)) numbers.push(number);
      before = page[page.length - 1].number;
    }
    let resent = 0;
    for (const number of numbers.slice(0, limit).reverse())
      if ("number" in (await this.resend(number))) resent++;
    return resent;
  }

  async discard(number: number): Promise<{ readonly number: number } | { readonly refusal: Refusal }> {
    return (await this.#log.discard(number)) ? { number } : { refusal: unknown };
  }

  /** Puts the letter behind everything else for the same receiver, under a new number. */
  async resend(number: number): Promise<{ readonly number: number } | { readonly refusal: Refusal }> {
    const [letter] = await this.#log.deadLetters(number + 1, 1);
    if (letter?.number !== number) return { refusal: unknown };
    // The stream has received later messages from this sender, and would silently ignore this one as a duplicate.
    if (this.#outbox.isInside(letter.to)) {
      const message = `${letter.to} has gone on since: what was set aside would count for nothing there.`;
      return { refusal: { code: "delivery.late", message } };
    }
    try {
      const resent = await this.#log.resend(number);
      return resent ? { number: resent.number } : { refusal: unknown };
    } finally {
      // Wake it even if the answer was lost, because the letter may be queued. Another node may be the one that delivers.
      this.#outbox.wake();
      this.#membership.announce({ stream: letter.from, version: 0, hasEffects: true });
    }
  }
}
