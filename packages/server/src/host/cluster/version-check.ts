import { refusalFor } from "../failures.ts";
import type { HostContext } from "../host-context.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";

const streamsMax = 1_000;

interface VersionCheckDeps extends Omit<HostContext, "membership"> {
  readonly tend: (mailbox: AnyMailbox) => void;
}

/** Fetches the versions of streams that other nodes write to. Any number of readers share one query at a time. */
export class VersionCheck {
  readonly #deps: VersionCheckDeps;
  readonly #urgent = new Set<AnyMailbox>();
  readonly #others = new Set<AnyMailbox>();
  #isUnderWay = false;

  constructor(deps: VersionCheckDeps) {
    this.#deps = deps;
  }

  want(mailbox: AnyMailbox): void {
    (mailbox.reads.hasUnchecked ? this.#urgent : this.#others).add(mailbox);
    if (!this.#isUnderWay) void this.#checkAll();
  }

  async #checkAll(): Promise<void> {
    this.#isUnderWay = true;
    // Wait for the rest of this tick, so that reads that arrive together share the query.
    await Promise.resolve();
    while (this.#urgent.size + this.#others.size > 0) await this.#check(this.#next());
    this.#isUnderWay = false;
  }

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

  async #check(mailboxes: readonly AnyMailbox[]): Promise<void> {
    const { log, tend, onForked, onError } = this.#deps;
    // Include only reads from before the query: its answer may miss entries that are acknowledged while it runs.
    const waiting = mailboxes.map((mailbox) => mailbox.reads.takeUnchecked());
    const before = mailboxes.map(({ head }) => head);
    try {
      const heads = await log.heads(mailboxes.map(({ stream }) => stream));
      mailboxes.forEach((mailbox, index) => {
        const isForked = mailbox.checkFresh(waiting[index], before[index], heads[index]);
        if (isForked) onForked(mailbox);
        tend(mailbox);
      });
    } catch (error) {
      onError(error);
      mailboxes.forEach((mailbox, index) => {
        mailbox.reads.refuseTaken(waiting[index], refusalFor(error));
      });
    }
  }
}
