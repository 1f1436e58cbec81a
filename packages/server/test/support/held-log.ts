import type { Millis } from "@openseat/kernel";
import { type CommitOutcome, commitAsOwner, type Decide, type Wanted } from "../../src/log/commit.ts";
import type { LadderStore } from "../../src/log/ladder-store.ts";
import {
  type Append,
  type AppendOutcome,
  type DeadLetter,
  type Head,
  type Listed,
  type ListQuery,
  type LiveQuery,
  type Log,
  LogUnavailable,
  type Outgoing,
  type Route,
  type Snapshot,
  type SnapshotPart,
  type Span,
  type StoredBatch,
  type StreamName,
} from "../../src/log/log.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import type { Roles } from "../../src/log/sharing.ts";

/** An append that was requested and has not run yet. */
interface HeldAppend {
  readonly appends: readonly Append[];
  /** Runs it and resolves. */
  release(): void;
  /** Rejects it; `written` says whether it was stored anyway. */
  fail(written?: boolean): void;
}

/** A log on which the test decides when appends become durable and what fails. */
export class HeldLog implements Log {
  readonly shards = 1;
  readonly commitStreamsMax = Number.POSITIVE_INFINITY;
  readonly dueLateMs = Number.POSITIVE_INFINITY;
  readonly outboxLateMs = 0;
  readonly inner: Log;
  readonly ladders: LadderStore;
  /** While true, appends wait in `held`. */
  holding = false;
  /** While true, every append is refused at once. */
  failing = false;
  /** While true, every call is refused at once. */
  down = false;
  /** Why it cannot be used, as reported by a log that knows. */
  failure: LogUnavailable | undefined;
  /** All calls of `append` so far. */
  readonly calls: (readonly Append[])[] = [];
  readonly held: HeldAppend[] = [];
  /** Called and awaited before each read of entries. */
  beforeRead: (stream: StreamName, after: number) => Promise<void> | void = () => {};
  /** Changes the result of a read, to simulate a damaged store. */
  tamper: (batches: StoredBatch[]) => StoredBatch[] = (batches) => batches;
  /** Called before each part of a snapshot is written. */
  beforePart: (() => Promise<void>) | undefined;
  snapshotsSaved: number[] = [];
  isClosed = false;

  constructor(inner: Log & { readonly ladders: LadderStore } = new MemoryLog()) {
    this.inner = inner;
    this.ladders = inner.ladders;
  }

  /** Stops holding, and runs all held appends. */
  releaseAll(): void {
    this.holding = false;
    for (const held of this.held.splice(0)) held.release();
  }

  join<Membership>(roles: Roles<Membership>): Membership {
    return roles.owner();
  }

  commit(wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]> {
    return commitAsOwner((appends) => this.append(appends), wanted, decide);
  }

  append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    this.calls.push(appends);
    if (this.failing || this.down) {
      // Fail asynchronously like a disk: otherwise a caller that retries without a pause would block everything else.
      return new Promise((_, reject) => setImmediate(() => reject(new LogUnavailable("The disk is full."))));
    }
    if (!this.holding) return this.#write(appends);
    return new Promise((resolve, reject) => {
      this.held.push({
        appends,
        release: () => void this.#write(appends).then(resolve, reject),
        fail: async (written = false) => {
          if (written) await this.#write(appends);
          reject(new LogUnavailable("The flush failed."));
        },
      });
    });
  }

  /** The inner log has one owner, so its commit only considers what is to be appended. */
  async #write(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const outcomes = await this.inner.commit(appends, () => appends);
    return outcomes.map((outcome) => (outcome === "committed" ? "appended" : "conflict"));
  }

  async head(stream: StreamName): Promise<Head | undefined> {
    this.#assertUp();
    return this.inner.head(stream);
  }

  async heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]> {
    this.#assertUp();
    return this.inner.heads(streams);
  }

  async read(stream: StreamName, after: number, limit: number): Promise<StoredBatch[]> {
    this.#assertUp();
    await this.beforeRead(stream, after);
    return this.tamper(await this.inner.read(stream, after, limit));
  }

  async line(stream: StreamName, version: number): Promise<string | undefined> {
    this.#assertUp();
    await this.beforeRead(stream, version - 1);
    return this.inner.line(stream, version);
  }

  async list(query: ListQuery): Promise<Listed[]> {
    this.#assertUp();
    return this.inner.list(query);
  }

  async countLive(query: LiveQuery): Promise<number> {
    this.#assertUp();
    return this.inner.countLive(query);
  }

  async due(now: Millis, limit: number): Promise<StreamName[]> {
    this.#assertUp();
    return this.inner.due(now, limit);
  }

  async nextDue(now: Millis): Promise<Millis | undefined> {
    this.#assertUp();
    return this.inner.nextDue(now);
  }

  async outbox(after: number, limit: number): Promise<Outgoing[]> {
    this.#assertUp();
    return this.inner.outbox(after, limit);
  }

  async outboxOf(route: Route, span: Span, limit: number): Promise<Outgoing[]> {
    this.#assertUp();
    return this.inner.outboxOf(route, span, limit);
  }

  async delivered(numbers: readonly number[]): Promise<void> {
    this.#assertUp();
    return this.inner.delivered(numbers);
  }

  async undeliverable(numbers: readonly number[], reason: string, at: Millis): Promise<void> {
    this.#assertUp();
    return this.inner.undeliverable(numbers, reason, at);
  }

  async deadLetters(before: number | undefined, limit: number): Promise<DeadLetter[]> {
    this.#assertUp();
    return this.inner.deadLetters(before, limit);
  }

  async discard(number: number): Promise<boolean> {
    this.#assertUp();
    return this.inner.discard(number);
  }

  async resend(number: number): Promise<Outgoing | undefined> {
    this.#assertUp();
    return this.inner.resend(number);
  }

  async saveSnapshot(
    stream: StreamName,
    snapshot: Head & { readonly parts: Iterable<Uint8Array> },
  ): Promise<void> {
    this.#assertUp();
    const parts: Uint8Array[] = [];
    for (const part of snapshot.parts) {
      parts.push(part);
      await this.beforePart?.();
    }
    await this.inner.saveSnapshot(stream, { ...snapshot, parts });
    this.snapshotsSaved.push(snapshot.version);
  }

  async loadSnapshot(stream: StreamName): Promise<Snapshot | undefined> {
    this.#assertUp();
    return this.inner.loadSnapshot(stream);
  }

  async snapshotVersion(stream: StreamName): Promise<number> {
    this.#assertUp();
    return this.inner.snapshotVersion(stream);
  }

  async snapshotPart(stream: StreamName, part: number): Promise<SnapshotPart | undefined> {
    this.#assertUp();
    return this.inner.snapshotPart(stream, part);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.inner.close();
  }

  #assertUp(): void {
    if (this.down) throw new LogUnavailable("The disk is gone.");
  }
}
