import { aheadMsMax } from "../../clock.ts";
import { LogUnavailable, type StreamName } from "../../log/log.ts";
import type { HostContext } from "../host-context.ts";
import { Slots } from "../slots.ts";
import type { AnyMailbox } from "./mailbox.ts";

const fetchesMax = 128;

export class StreamLoader {
  readonly #context: HostContext;
  /** CK3: the newest entry of a stream is further ahead than the clock follows. */
  readonly #onAhead: (stream: StreamName, aheadMs: number) => void;
  readonly slots = new Slots(fetchesMax);
  /** Damaged streams stay due forever, so they must not be retried every second. */
  readonly #damaged = new Set<StreamName>();

  constructor(context: HostContext, onAhead: (stream: StreamName, aheadMs: number) => void) {
    this.#context = context;
    this.#onAhead = onAhead;
  }

  isDamaged(stream: StreamName): boolean {
    return this.#damaged.has(stream);
  }

  async load(mailbox: AnyMailbox): Promise<void> {
    await this.#fetch(
      mailbox,
      mailbox.load().then(() => false),
    );
    const { clock, membership } = this.#context;
    const aheadMs = (mailbox.durable?.at ?? 0) - clock.now();
    if (aheadMs > aheadMsMax) this.#onAhead(mailbox.stream, aheadMs);
    membership.noteLoaded(mailbox);
  }

  async catchUp(mailbox: AnyMailbox): Promise<void> {
    await this.#fetch(mailbox, mailbox.catchUp(this.#context.onAbsorbed));
  }

  async #fetch(mailbox: AnyMailbox, fetched: Promise<boolean>): Promise<void> {
    const { clock, wake, onForked, onError } = this.#context;
    try {
      if (await fetched) onForked(mailbox);
      const { durable } = mailbox;
      if (durable) clock.reach?.(durable.at);
      wake(mailbox);
      this.#damaged.delete(mailbox.stream);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) this.#damaged.add(mailbox.stream);
      onError(error);
    }
  }
}
