import { aheadMsMax, type Clock } from "../../clock.ts";
import { LogUnavailable, type StreamName } from "../../log/log.ts";
import type { Membership } from "../cluster/membership.ts";
import type { Committed } from "../commit/committed.ts";
import { Slots } from "../slots.ts";
import type { AnyMailbox } from "./mailbox.ts";

/** Streams that are brought into memory at once, or up to what others have written. */
const fetchesMax = 128;

interface FetchingDeps {
  readonly clock: Clock;
  /** It is there: what waits in it can be decided. */
  readonly wake: (mailbox: AnyMailbox) => void;
  readonly membership: Pick<Membership, "noteLoaded">;
  /** CL6: what was in memory was not what the log holds, and is dropped. */
  readonly onForked: (mailbox: AnyMailbox) => void;
  /** CK3: its newest entry is further ahead than the clock follows. */
  readonly onAhead: (stream: StreamName, aheadMs: number) => void;
  /** Written by other nodes, and in memory now. */
  readonly onAbsorbed: (committed: Committed<unknown>) => void;
  readonly onError: (error: unknown) => void;
}

/** Brings streams into memory, and up to what other nodes have written to them. */
export class Fetching {
  readonly #parts: FetchingDeps;
  readonly slots = new Slots(fetchesMax);
  /** Streams that could not be made sense of. They stay due for ever, and must not be tried every second. */
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
