import type { Effect, Listing, Millis, Rows } from "@openseat/kernel";
import type { CommitOutcome, Decide, Wanted } from "./commit.ts";
import type { Roles } from "./sharing.ts";

/** Kind and id, such as `game/k3v9…`. The kind says which decider runs the stream. */
export type StreamName = `${string}/${string}`;

/** A compare-and-append: it succeeds only if the stream is at `after` (LG1). */
export interface Append {
  readonly stream: StreamName;
  /** The version that the decision was made on; 0 for a stream that is not there yet. */
  readonly after: number;
  /** Encoded entries, of the versions `after + 1`, `after + 2`… */
  readonly lines: readonly string[];
  readonly hash: string;
  /** When the stream wants to be woken next. */
  readonly due: Millis | undefined;
  readonly listing: Listing;
  /** LM7: the person who makes the stream, with its first entry. Later ones do not change it. */
  readonly creator?: string | undefined;
  /** Rows for queries, written with the entries. */
  readonly rows?: Rows | undefined;
  /** Kept until they are delivered. */
  readonly effects?: readonly (Effect & { readonly version: number })[];
}

/** An effect that has not arrived yet. Numbers rise in the order in which they were written. */
export interface Outgoing {
  readonly number: number;
  readonly from: StreamName;
  readonly version: number;
  /** A stream, or an address outside, such as `sms/7`. */
  readonly to: StreamName;
  readonly body: Effect["body"];
}

/** Effects to one receiver: from one stream, or from all of them without `from`. */
export interface Route {
  readonly from?: StreamName | undefined;
  readonly to: StreamName;
}

export interface Span {
  readonly after: number;
  readonly upTo: number;
}

/** An effect that could not be delivered, and why. */
export interface DeadLetter extends Outgoing {
  readonly reason: string;
  /** Undefined when it was set aside by a version that kept no note of it. */
  readonly setAsideAt: Millis | undefined;
}

export type AppendOutcome = "appended" | "conflict";

export interface Head {
  readonly version: number;
  readonly hash: string;
}

/** Entries that were stored together. `hash` is that of the chain after them. */
export interface StoredBatch {
  readonly first: number;
  readonly lines: readonly string[];
  readonly hash: string;
}

export interface Snapshot extends Head {
  readonly parts: readonly Uint8Array[];
}

export interface SnapshotPart {
  readonly version: number;
  readonly bytes: Uint8Array;
}

export interface ListQuery {
  readonly kind: string;
  readonly status?: string;
  /** Only streams that have not ended. */
  readonly isLive?: boolean;
  /** Only streams made before the one with this number: newest first, so the next page is older. */
  readonly before?: number;
  readonly limit: number;
}

export interface StoreSizes {
  readonly databaseBytes: number;
  /** Undefined on PostgreSQL, which looks after its own write-ahead log. */
  readonly walBytes: number | undefined;
  /** Up to `outboxCountMax`. */
  readonly outboxWaiting: number;
  /** The time of the entry that caused what waits longest; undefined when nothing waits. */
  readonly outboxOldestAt: Millis | undefined;
}

/** To count more would hold up those who write. */
export const outboxCountMax = 100_000;

export interface LiveQuery {
  readonly creator: string;
  readonly kinds: readonly string[];
  readonly limit: number;
}

/** The status of every stream that is over for good, whatever its kind. */
export const endedStatus = "ENDED";

export interface Listed extends Listing {
  readonly stream: StreamName;
  /** The number of the stream in this store, in order of creation: the cursor of the list. */
  readonly number: number;
}

/**
 * The durable, ordered truth. Every method may reject with `LogUnavailable`; a rejected commit may or may not have
 * been written, so the caller has to read before it decides again.
 */
export interface Log {
  /** Calls the one of these that this log is for. */
  join<Membership>(roles: Roles<Membership>): Membership;
  /** Why the log cannot be used just now. While it is defined, every call is refused at once. */
  readonly failure?: LogUnavailable | undefined;
  /** Commits that may be under way at once; no two of them in the same stream. */
  readonly shards: number;
  /** Streams in one commit. With more, those who wait for one of them would wait too long. */
  readonly commitStreamsMax: number;
  /**
   * The one way to write. Owns or locks these streams, calls `decide` once with what others have appended to them, and appends what
   * it returns: each stream succeeds or conflicts by itself, all in one flush. When this rejects and `decide` was not called,
   * nothing has happened; when it was, what it returned may or may not have been written.
   */
  commit(wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]>;
  head(stream: StreamName): Promise<Head | undefined>;
  /** They include everything acknowledged before the call. */
  heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]>;
  /** Batches that hold entries after `after`, oldest first, until about `limit` entries are reached, or they are large. */
  read(stream: StreamName, after: number, limit: number): Promise<StoredBatch[]>;
  /** One entry alone, as its line: a whole batch for the sake of one key would hold up the flushes behind it. */
  line(stream: StreamName, version: number): Promise<string | undefined>;
  list(query: ListQuery): Promise<Listed[]>;
  /** LM7: how many streams this person has made that have not ended. Older versions stored no creator: theirs do not count. */
  countLive(query: LiveQuery): Promise<number>;
  /** The streams whose due time is not after `now`, the longest overdue first. */
  due(now: Millis, limit: number): Promise<StreamName[]>;
  nextDue(now: Millis): Promise<Millis | undefined>;
  /** How late this node may learn of a due time that another node has appended. */
  readonly dueLateMs: number;
  /** What waits to be delivered, without dead letters. */
  outbox(after: number, limit: number): Promise<Outgoing[]>;
  /** How long after a higher number a lower one may still appear: another node took it and has not committed yet. */
  readonly outboxLateMs: number;
  outboxOf(route: Route, span: Span, limit: number): Promise<Outgoing[]>;
  delivered(numbers: readonly number[]): Promise<void>;
  /** Makes them dead letters. Only the latest `deadLettersMax` are kept. */
  undeliverable(numbers: readonly number[], reason: string, at: Millis): Promise<void>;
  /** The newest first, with numbers below `before`. */
  deadLetters(before: number | undefined, limit: number): Promise<DeadLetter[]>;
  /** Sends a dead letter again, behind everything else and under a new number. Undefined when there is none. */
  resend(number: number): Promise<Outgoing | undefined>;
  /** Removes a dead letter. False when there is none. */
  discard(number: number): Promise<boolean>;
  sizes?(): Promise<StoreSizes>;
  /** Replaces the stream's snapshot. A crash in between leaves the old one. */
  saveSnapshot(stream: StreamName, snapshot: Head & { readonly parts: Iterable<Uint8Array> }): Promise<void>;
  /** The version of the stream's snapshot, which another node may have saved; 0 when it has none. */
  snapshotVersion(stream: StreamName): Promise<number>;
  loadSnapshot(stream: StreamName): Promise<Snapshot | undefined>;
  /** The same by parts, from 0. Undefined after the last. */
  snapshotPart(stream: StreamName, part: number): Promise<SnapshotPart | undefined>;
  close(): Promise<void>;
}

export type FlushObserver = (flush: { entries: number; seconds: number }) => void;

/** Dead letters that are kept, and up to a thousand more; then the oldest are dropped. */
export const deadLettersMax = 100_000;
/** Not with each of them: looking for the oldest goes through all dead letters. */
export const isTimeToDrop = (number: number): boolean => number % 1_000 === 0;

/** The store cannot be opened at all, such as for a newer schema. */
export class LogUnusable extends Error {
  override readonly name = "LogUnusable";
}

/** The store cannot be used just now, such as when the disk is full. */
export class LogUnavailable extends Error {
  override readonly name = "LogUnavailable";
  /** The message in full, for the operator alone: it may name hosts, and anybody may read the reason in `/readyz`. */
  readonly detail: string;

  constructor(
    message: string,
    { cause, detail = message }: { readonly cause?: unknown; readonly detail?: string } = {},
  ) {
    super(message, { cause });
    this.detail = detail;
  }
}
