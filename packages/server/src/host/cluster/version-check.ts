import type { Log } from "../../log/log.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";
import { refusalFor } from "../trouble.ts";

/** Streams that one look asks for. */
const streamsMax = 1_000;

interface VersionCheckDeps {
  readonly log: Pick<Log, "heads">;
  /** How far the stream is, is known now: what waits for that can go on. */
  readonly onKnown: (mailbox: AnyMailbox) => void;
  /** CL6: what was in memory was not what the log holds, and is dropped. */
  readonly onForked: (mailbox: AnyMailbox) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * How far streams are that other nodes write to as well. All who want to know it while one look is under way share the
 * next: one small question at a time serves any number of readers.
 */
export class VersionCheck {
  readonly #parts: VersionCheckDeps;
  /** In these somebody waits for it. */
  readonly #urgent = new Set<AnyMailbox>();
  readonly #others = new Set<AnyMailbox>();
  #isUnderWay = false;

  constructor(parts: VersionCheckDeps) {
    this.#parts = parts;
  }

  want(mailbox: AnyMailbox): void {
    (mailbox.reads.hasUnsure ? this.#urgent : this.#others).add(mailbox);
    if (!this.#isUnderWay) void this.#lookAll();
  }

  async #lookAll(): Promise<void> {
    this.#isUnderWay = true;
    // Not at once: what is arriving right now shares it.
    await Promise.resolve();
    while (this.#urgent.size + this.#others.size > 0) await this.#look(this.#next());
    this.#isUnderWay = false;
  }

  /** Nobody has to wait until all are looked at that are looked at now and then. */
  #next(): AnyMailbox[] {
    const next: AnyMailbox[] = [];
    for (const wanted of [this.#urgent, this.#others])
      for (const mailbox of wanted) {
        if (next.length === streamsMax) return next;
        wanted.delete(mailbox);
        next.push(mailbox);
      }
    return next;
  }

  async #look(mailboxes: readonly AnyMailbox[]): Promise<void> {
    const { log, onKnown, onForked, onError } = this.#parts;
    // Only those who ask before the look sets out: of what is acknowledged while it is on its way it may know nothing.
    const waiting = mailboxes.map((mailbox) => mailbox.reads.takeUnsure());
    const before = mailboxes.map(({ head }) => head);
    try {
      const heads = await log.heads(mailboxes.map(({ stream }) => stream));
      mailboxes.forEach((mailbox, index) => {
        const isForked = mailbox.assure(waiting[index], before[index], heads[index]);
        if (isForked) onForked(mailbox);
        onKnown(mailbox);
      });
    } catch (error) {
      onError(error);
      mailboxes.forEach((mailbox, index) => {
        mailbox.reads.refuseTaken(waiting[index], refusalFor(error));
      });
    }
  }
}
