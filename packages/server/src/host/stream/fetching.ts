import { aheadMsMax, type Clock } from "../../clock.ts";
import { LogUnavailable, type StreamName } from "../../log/log.ts";
import type { Membership } from "../cluster/membership.ts";
import type { Committed } from "../commit/committed.ts";
import { Slots } from "../slots.ts";
import type { AnyMailbox } from "./mailbox.ts";

/** Streams that are loaded or caught up at once. */
const fetchesMax = 128;

interface FetchingDeps {
  readonly clock: Clock;
  readonly wake: (mailbox: AnyMailbox) => void;
  readonly membership: Pick<Membership, "noteLoaded">;
  readonly onForked: (mailbox: AnyMailbox) => void;
  /** CK3: the newest entry is further ahead than the clock follows. */
  readonly onAhead: (stream: StreamName, aheadMs: number) => void;
  /** Written by other nodes, and in memory now. */
  readonly onAbsorbed: (committed: Committed<unknown>) => void;
  readonly onError: (error: unknown) => void;
}

/** Brings streams into memory, and up to what other nodes have written to them. */
export class Fetching {
  readonly #parts: FetchingDeps;
  readonly slots = new Slots(fetchesMax);
  /** Damaged streams stay due for ever, and must not be tried every second. */
  readonly #damaged = new Set<StreamName>();

  constructor(parts: FetchingDeps) {
    this.#parts = parts;
  }

  isDamaged(stream: StreamName): boolean {
    return this.#damaged.has(stream);
  }

  async load(mailbox: AnyMailbox): Promise<void> {
    await this.#fetch(
      mailbox,
      mailbox.load().then(() => false),
    );
    const { clock, membership, onAhead } = this.#parts;
    const aheadMs = (mailbox.durable?.at ?? 0) - clock.now();
    if (aheadMs > aheadMsMax) onAhead(mailbox.stream, aheadMs);
    membership.noteLoaded(mailbox);
  }

  async catchUp(mailbox: AnyMailbox): Promise<void> {
    await this.#fetch(mailbox, mailbox.catchUp(this.#parts.onAbsorbed));
  }

  async #fetch(mailbox: AnyMailbox, fetched: Promise<boolean>): Promise<void> {
    const { clock, wake, onForked, onError } = this.#parts;
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
