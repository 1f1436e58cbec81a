import { assert, type Millis } from "@openseat/kernel";
import type { Clock } from "../../clock.ts";
import type { CommitOutcome, Tail, Wanted } from "../../log/commit.ts";
import type { Append, Log, StreamName } from "../../log/log.ts";
import type { Membership } from "../cluster/membership.ts";
import type { Fetching } from "../stream/fetching.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";
import type { Committed } from "./committed.ts";

/** How commits have gone since the start. */
export interface CommitCounts {
  count: number;
  /** From when they were asked for until what was decided was durable, in all. */
  seconds: number;
  /** Streams in which something had to be decided anew. */
  conflicts: number;
}

interface CommitLoopDeps {
  readonly counts: CommitCounts;
  readonly log: Log;
  readonly clock: Clock;
  readonly membership: Membership;
  readonly fetching: Pick<Fetching, "load">;
  /** CL6: what was in memory was not what the log holds, and is dropped. */
  readonly onForked: (mailbox: AnyMailbox) => void;
  /** Written by other nodes, and in memory now. */
  readonly onAbsorbed: (committed: Committed<unknown>) => void;
  readonly onCommitted: (mailbox: AnyMailbox, committed: Committed<unknown>, due: Millis | undefined) => void;
  /** Nothing is to be decided here just now. */
  readonly onIdle: (mailbox: AnyMailbox) => void;
  /** A commit is over, whatever came of it: something may be left to do. */
  readonly onLeft: (mailbox: AnyMailbox) => void;
  /** What was decided may have been written all the same. */
  readonly onDoubt: (stream: StreamName) => void;
  /** Nothing could be written, as far as is known. */
  readonly onFailed: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Commits, one after the other: each lets every mailbox that has something waiting decide it, appends all of it in one go,
 * and only then lets anyone know. What arrives meanwhile is for the next commit.
 */
export class CommitLoop {
  readonly #parts: CommitLoopDeps;
  #ready = new Set<AnyMailbox>();
  #state: "idle" | "soon" | "under way" = "idle";
  #begunAt = 0;

  constructor(parts: CommitLoopDeps) {
    this.#parts = parts;
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

  /** Not at once: what is arriving right now makes the next batch about as large as this one was. */
  #end(): void {
    this.#state = "idle";
    if (this.#ready.size > 0) this.#commitSoon();
  }

  #commitSoon(): void {
    this.#state = "soon";
    this.#parts.clock.soon(() => this.#take());
  }

  #take(): void {
    const ready = [...this.#ready].slice(0, this.#parts.log.commitStreamsMax);
    for (const mailbox of ready) this.#ready.delete(mailbox);
    const now = this.#parts.clock.now();
    const deciding: AnyMailbox[] = [];
    for (const mailbox of ready) {
      if (mailbox.phase === "absent") void this.#parts.fetching.load(mailbox);
      else if (mailbox.enterCommit(now)) deciding.push(mailbox);
      else this.#parts.onIdle(mailbox);
    }
    this.#begunAt = this.#parts.clock.elapsed();
    if (deciding.length === 0) this.#end();
    else this.#commit(deciding);
  }

  #commit(mailboxes: readonly AnyMailbox[]): void {
    const { log, membership } = this.#parts;
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
    const { clock, onAbsorbed, onError } = this.#parts;
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
    const { counts, clock } = this.#parts;
    counts.count++;
    counts.seconds += (clock.elapsed() - this.#begunAt) / 1000;
    for (const [index, mailbox] of mailboxes.entries()) {
      const outcome = outcomes[index];
      if (outcome === "conflict") counts.conflicts++;
      if (outcome === "behind") mailbox.leaveCommit();
      else if (outcome === "forked") this.#drop(mailbox);
      else if (mailbox.hasDecided) this.#settle(mailbox, outcome, appends[index]?.due);
      else assert(mailbox.phase !== "committing", "a commit was reported in which nothing was decided");
      this.#parts.onLeft(mailbox);
    }
    this.#end();
  }

  #settle(mailbox: AnyMailbox, outcome: "committed" | "conflict", due: Millis | undefined): void {
    const committed = mailbox.settle(outcome);
    if (committed) this.#parts.onCommitted(mailbox, committed, due);
  }

  #drop(mailbox: AnyMailbox): void {
    mailbox.dropForked();
    this.#parts.onForked(mailbox);
  }

  #fail(mailboxes: readonly AnyMailbox[], error: unknown): void {
    this.#parts.onError(error);
    for (const mailbox of mailboxes) {
      if (mailbox.hasDecided) {
        if (mailbox.fail(error)) this.#doubt(mailbox);
        this.#parts.onLeft(mailbox);
      } else {
        mailbox.refuseCommit(error);
        // Not at once: somebody who is back or silent is still so, and it would be tried all the time while the log is away.
        this.#parts.membership.awaitBeat(mailbox);
      }
    }
    this.#parts.onFailed();
    this.#end();
  }

  /** What was decided may have been written all the same. */
  #doubt({ stream }: AnyMailbox): void {
    this.#parts.onDoubt(stream);
    this.#parts.membership.doubt(stream);
  }
}
