import type { DeadLetter, DeadLetterList, Discarded, Resent, ResentAll } from "@openseat/protocol";
import type { DeadLetters as Outbox } from "../../host/outbox/dead-letters.ts";
import type { DeadLetter as Stored } from "../../log/log.ts";
import { iso } from "../../views/times.ts";
import type { Result } from "../result.ts";

/** More in one request would keep the operator waiting. */
const resentAtOnceMax = 1_000;

/** CH7: what could not be delivered is seen by operators, and sent again or discarded when they say so. */
export class DeadLetters {
  readonly #outbox: Pick<Outbox, "list" | "resend" | "resendAll" | "discard">;

  constructor(outbox: Pick<Outbox, "list" | "resend" | "resendAll" | "discard">) {
    this.#outbox = outbox;
  }

  async list(before: number | undefined, limit: number): Promise<Result<DeadLetterList>> {
    const found = await this.#outbox.list(before, limit + 1);
    const page = found.slice(0, limit);
    const nextCursor = found.length > limit ? String(page[page.length - 1].number) : null;
    return { value: { deadLetters: page.map(deadLetterView), nextCursor } };
  }

  async resend(number: number): Promise<Result<Resent>> {
    return numbered(await this.#outbox.resend(number));
  }

  /** For a channel: the latest thousand, in their order. */
  async resendAll(channel: string): Promise<Result<ResentAll>> {
    return { value: { resent: await this.#outbox.resendAll(channel, resentAtOnceMax) } };
  }

  async discard(number: number): Promise<Result<Discarded>> {
    return numbered(await this.#outbox.discard(number));
  }
}

function numbered(outcome: Awaited<ReturnType<Outbox["resend"]>>): Result<{ number: string }> {
  return "refusal" in outcome ? outcome : { value: { number: String(outcome.number) } };
}

function deadLetterView({ number, to, from, body, reason, setAsideAt }: Stored): DeadLetter {
  return {
    ...{ number: String(number), to, from, reason },
    text: typeof body.text === "string" ? body.text : null,
    setAsideAt: setAsideAt === undefined ? null : iso(setAsideAt),
  };
}
