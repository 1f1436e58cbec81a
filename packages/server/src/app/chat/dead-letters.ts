import type { DeadLetter, DeadLetterList, Discarded, Resent, ResentAll } from "@openseat/protocol";
import type { DeadLetters as Outbox } from "../../host/outbox/dead-letters.ts";
import type { DeadLetter as Stored } from "../../log/log.ts";
import { iso } from "../../views/times.ts";
import { pageOf } from "../paging.ts";
import type { AsyncResult } from "../result.ts";

/** A larger batch would block the request for too long. */
const resentAtOnceMax = 1_000;

/** CH7: operators see messages that could not be delivered, and resend or discard them. */
export class DeadLetters {
  readonly #outbox: Outbox;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  async list(before: number | undefined, limit: number): AsyncResult<DeadLetterList> {
    const found = await this.#outbox.list(before, limit + 1);
    const { items, nextCursor } = pageOf(found, limit, ({ number }) => number);
    return { value: { deadLetters: items.map(deadLetterView), nextCursor } };
  }

  async resend(number: number): AsyncResult<Resent> {
    return numbered(await this.#outbox.resend(number));
  }

  /** The latest thousand of a channel, in their order. */
  async resendAll(channel: string): AsyncResult<ResentAll> {
    return { value: { resent: await this.#outbox.resendAll(channel, resentAtOnceMax) } };
  }

  async discard(number: number): AsyncResult<Discarded> {
    return numbered(await this.#outbox.discard(number));
  }
}

function numbered(outcome: Awaited<ReturnType<Outbox["resend"]>>) {
  return "refusal" in outcome ? outcome : { value: { number: String(outcome.number) } };
}

function deadLetterView({ number, to, from, body, reason, setAsideAt }: Stored): DeadLetter {
  return {
    ...{ number: String(number), to, from, reason },
    text: typeof body.text === "string" ? body.text : null,
    setAsideAt: setAsideAt === undefined ? null : iso(setAsideAt),
  };
}
