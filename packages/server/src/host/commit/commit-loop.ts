import { assert, type Millis } from "@openseat/kernel";
import type { CommitOutcome, Tail, Wanted } from "../../log/commit.ts";
import type { Append, StreamName } from "../../log/log.ts";
import type { HostContext } from "../host-context.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";
import type { StreamLoader } from "../stream/stream-loader.ts";
import type { Committed } from "./committed.ts";

export interface CommitCounts {
  count: number;
  seconds: number;
  /** Number of streams that had to be decided again. */
  conflicts: number;
}

interface CommitLoopDeps extends HostContext {
  readonly counts: CommitCounts;
  readonly loader: StreamLoader;
  readonly onCommitted: (mailbox: AnyMailbox, committed: Committed<unknown>, due: Millis | undefined) => void;
  readonly onIdle: (mailbox: AnyMailbox) => void;
  readonly onLeft: (mailbox: AnyMailbox) => void;
  /** The append failed but may have been written. */
  readonly onDoubt: (stream: StreamName) => void;
  readonly onFailed: () => void;
}

/** Runs one commit at a time: mailboxes with waiting commands decide, their entries are appended, and only then published. */
export class CommitLoop {
  readonly #deps: CommitLoopDeps;
  #ready = new Set<AnyMailbox>();
  #state: "idle" | "soon" | "under way" = "idle";
  #begunAt = 0;

  constructor(deps: CommitLoopDeps) {
    this.#deps = deps;
  }

  get isQuiet(): boolean {
    return this.#state === "idle" && this.#ready.size === 0;
  }

  has(mailbox: AnyMailbox): boolean {
    return this.#ready.has(mailbox);
  }

  wake(mailbox: AnyMailbox): void {
    this.#ready.add(mailbox);
    if (this.#state === "idle") this.#commitSoon();
  }

  #end(): void {
    this.#state = "idle";
    if (this.#ready.size > 0) this.#commitSoon();
  }

  /** Wait for the rest of this tick, so that commands that arrive together share a batch. */
  #commitSoon(): void {
    this.#state = "soon";
    this.#deps.clock.soon(() => this.#take());
  }

  #take(): void {
    const ready = [...this.#ready].slice(0, this.#deps.log.commitStreamsMax);
    for (const mailbox of ready) this.#ready.delete(mailbox);
    const now = this.#deps.clock.now();
    const deciding: AnyMailbox[] = [];
    for (const mailbox of ready) {
      if (mailbox.phase === "absent") void this.#deps.loader.load(mailbox);
      else if (mailbox.enterCommit(now)) deciding.push(mailbox);
      else this.#deps.onIdle(mailbox);
    }
    this.#begunAt = this.#deps.clock.elapsed();
    if (deciding.length === 0) this.#end();
    else this.#commit(deciding);
  }

  #commit(mailboxes: readonly AnyMailbox[]): void {
    const { log, membership } = this.#deps;
    const wanted = mailboxes.map(
      ({ stream, head }): Wanted => ({ stream, after: head.version, hash: head.hash }),
    );
    let appends: readonly (Append | undefined)[] = [];
    this.#state = "under way";
    const decide = (tails: readonly Tail[]) => {
      appends = this.#decide(mailboxes, tails);
      return appends;
    };
    membership.watch(log.commit(wanted, decide)).then(
      (outcomes) => this.#leave(mailboxes, appends, outcomes),
      (error) => this.#fail(mailboxes, error),
    );
  }

  #decide(mailboxes: readonly AnyMailbox[], tails: readonly Tail[]): (Append | undefined)[] {
    const { clock, onAbsorbed, onError } = this.#deps;
    const now = clock.now();
    return mailboxes.map((mailbox, index) => {
      const tail = tails[index];
      if (typeof tail === "string") return undefined;
      try {
        return mailbox.decide(now, tail, onAbsorbed);
      } catch (error) {
        onError(error);
        return undefined;
      }
    });
  }

  #leave(
    mailboxes: readonly AnyMailbox[],
    appends: readonly (Append | undefined)[],
    outcomes: readonly CommitOutcome[],
  ): void {
    const { counts, clock, onForked, onCommitted, onLeft } = this.#deps;
    counts.count++;
    counts.seconds += (clock.elapsed() - this.#begunAt) / 1000;
    for (const [index, mailbox] of mailboxes.entries()) {
      const outcome = outcomes[index];
      if (outcome === "conflict") counts.conflicts++;
      if (outcome === "behind") mailbox.leaveCommit();
      else if (outcome === "forked") {
        mailbox.dropForked();
        onForked(mailbox);
      } else if (mailbox.hasDecided) {
        const committed = mailbox.settle(outcome);
        if (committed) onCommitted(mailbox, committed, appends[index]?.due);
      } else assert(mailbox.phase !== "committing", "a commit was reported without a decision");
      onLeft(mailbox);
    }
    this.#end();
  }

  #fail(mailboxes: readonly AnyMailbox[], error: unknown): void {
    const { membership, onDoubt, onLeft, onFailed, onError } = this.#deps;
    onError(error);
    for (const mailbox of mailboxes) {
      if (mailbox.hasDecided) {
        if (mailbox.fail(error)) onDoubt(mailbox.stream);
        onLeft(mailbox);
      } else {
        mailbox.refuseCommit(error);
        // Do not retry at once: while the log is down, silent and returning places would cause commits without a pause.
        membership.awaitHeartbeat(mailbox);
      }
    }
    onFailed();
    this.#end();
  }
}
