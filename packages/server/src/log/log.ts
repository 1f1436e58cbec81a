import type { Effect, Listing, Millis, Rows } from "@openseat/kernel";
import type { CommitOutcome, Decide, Wanted } from "./commit.ts";
import type { Roles } from "./sharing.ts";

/** Kind and id, such as `game/k3v9…`. The kind selects the decider of the stream. */
export type StreamName = `${string}/${string}`;

/** A compare-and-append: it succeeds only if the stream is at version `after` (LG1). */
export interface Append {
  readonly stream: StreamName;
  /** The version that the decision was based on; 0 for a new stream. */
  readonly after: number;
  /** Encoded entries with the versions `after + 1`, `after + 2`… */
  readonly lines: readonly string[];
  readonly hash: string;
  /** When the stream must be woken next. */
  readonly due: Millis | undefined;
  readonly listing: Listing;
  /** LM7: the person who creates the stream, set with its first entry. Later appends do not change it. */
  readonly creator?: string | undefined;
  /** Rows for queries, written together with the entries. */
  readonly rows?: Rows | undefined;
  /** Stored until they are delivered. */
  readonly effects?: readonly (Effect & { readonly version: number })[];
}

/** An effect that is not delivered yet. Numbers increase in the order in which effects were written. */
export interface Outgoing {
  readonly number: number;
  readonly from: StreamName;
  readonly version: number;
  /** A stream or an external address, such as `sms/7`. */
  readonly to: StreamName;
  readonly body: Effect["body"];
}

/** Effects to one receiver, from one stream or (without `from`) from all. */
export interface Route {
  readonly from?: StreamName | undefined;
  readonly to: StreamName;
}

export interface Span {
  readonly after: number;
  readonly upTo: number;
}

/** An effect that could not be delivered, and the reason. */
export interface DeadLetter extends Outgoing {
  readonly reason: string;
  /** Undefined if an older version set it aside without recording the time. */
  readonly setAsideAt: Millis | undefined;
}

export type AppendOutcome = "appended" | "conflict";

export interface Head {
  readonly version: number;
  readonly hash: string;
}

/** Entries that were stored together. `hash` is the chain's hash after them. */
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
  /** Only streams created before this number. The list is newest first, so the next page is older. */
  readonly before?: number;
  readonly limit: number;
}

export interface StoreSizes {
  readonly databaseBytes: number;
  /** Undefined on PostgreSQL, which manages its own write-ahead log. */
  readonly walBytes: number | undefined;
  /** Counted up to `outboxCountMax`. */
  readonly outboxWaiting: number;
  /** The time of the entry that caused the oldest waiting effect; undefined if none waits. */
  readonly outboxOldestAt: Millis | undefined;
}

/** Counting further would block writers. */
export const outboxCountMax = 100_000;

export interface LiveQuery {
  readonly creator: string;
  readonly kinds: readonly string[];
  readonly limit: number;
}

/** The status of all streams that have ended for good, whatever their kind. */
export const endedStatus = "ENDED";

export interface Listed extends Listing {
  readonly stream: StreamName;
  /** The number of the stream in this store, in order of creation. It is the cursor of the list. */
  readonly number: number;
}

/**
 * The durable, ordered source of truth. Every method may reject with `LogUnavailable`. A rejected commit may have been written,
 * so the caller must read before it decides again.
 */
export interface Log {
  /** Calls the role that fits this log, and returns its result. */
  join<Membership>(roles: Roles<Membership>): Membership;
  /** Why the log cannot be used at the moment. While it is defined, every call is refused at once. */
  readonly failure?: LogUnavailable | undefined;
  /** Number of concurrent commits. No two may contain the same stream. */
  readonly shards: number;
  /** Streams per commit. With more, the callers that wait for one of them would wait too long. */
  readonly commitStreamsMax: number;
  /**
   * The only way to write. Owns or locks these streams, calls `decide` once with what others have appended, and appends what it
   * returns. Each stream succeeds or conflicts on its own, all in one flush. If this rejects before `decide` was called,
   * nothing has happened; afterwards, its result may have been written.
   */
  commit(wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]>;
  head(stream: StreamName): Promise<Head | undefined>;
  /** The result includes everything acknowledged before the call. */
  heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]>;
  /** Batches with entries after `after`, oldest first, until about `limit` entries or a size limit is reached. */
  read(stream: StreamName, after: number, limit: number): Promise<StoredBatch[]>;
  /** A single encoded entry: reading a whole batch for one key would delay the flushes behind it. */
  line(stream: StreamName, version: number): Promise<string | undefined>;
  list(query: ListQuery): Promise<Listed[]>;
  /**
   * LM7: number of this person's streams that have not ended. Older versions stored no creator, so their streams do not count.
   */
  countLive(query: LiveQuery): Promise<number>;
  /** Streams that are due at or before `now`, the longest overdue first. */
  due(now: Millis, limit: number): Promise<StreamName[]>;
  nextDue(now: Millis): Promise<Millis | undefined>;
  /** Maximum delay before this node learns of a due time that another node has appended. */
  readonly dueLateMs: number;
  /** Effects that wait to be delivered, without dead letters. */
  outbox(after: number, limit: number): Promise<Outgoing[]>;
  /** How long after a higher number a lower one may still appear: another node took it and has not committed yet. */
  readonly outboxLateMs: number;
  outboxOf(route: Route, span: Span, limit: number): Promise<Outgoing[]>;
  delivered(numbers: readonly number[]): Promise<void>;
  /** Turns them into dead letters. Only the latest `deadLettersMax` are kept. */
  undeliverable(numbers: readonly number[], reason: string, at: Millis): Promise<void>;
  /** The newest first, with numbers below `before`. */
  deadLetters(before: number | undefined, limit: number): Promise<DeadLetter[]>;
  /** Sends a dead letter again, after everything else and under a new number. Undefined if it does not exist. */
  resend(number: number): Promise<Outgoing | undefined>;
  /** Deletes a dead letter. False if it does not exist. */
  discard(number: number): Promise<boolean>;
  sizes?(): Promise<StoreSizes>;
  /** Replaces the stream's snapshot. A crash in between keeps the old one. */
  saveSnapshot(stream: StreamName, snapshot: Head & { readonly parts: Iterable<Uint8Array> }): Promise<void>;
  /** The version of the stream's snapshot, which another node may have saved; 0 if there is none. */
  snapshotVersion(stream: StreamName): Promise<number>;
  loadSnapshot(stream: StreamName): Promise<Snapshot | undefined>;
  /** One part of the snapshot, counted from 0. Undefined after the last. */
  snapshotPart(stream: StreamName, part: number): Promise<SnapshotPart | undefined>;
  close(): Promise<void>;
}

export type FlushObserver = (flush: { entries: number; seconds: number }) => void;

/** Number of dead letters to keep, with up to a thousand more before the oldest are dropped. */
export const deadLettersMax = 100_000;
/** Cleans up only occasionally, because finding the oldest scans all dead letters. */
export const isTimeToDrop = (number: number): boolean => number % 1_000 === 0;

/** The store cannot be opened, for example because its schema is newer. */
export class LogUnusable extends Error {
  override readonly name = "LogUnusable";
}

/** The store cannot be used at the moment, for example because the disk is full. */
export class LogUnavailable extends Error {
  override readonly name = "LogUnavailable";
  /** The full message, for logs only: it may contain host names, and anybody can read the reason in `/readyz`. */
  readonly detail: string;

  constructor(
    message: string,
    { cause, detail = message }: { readonly cause?: unknown; readonly detail?: string } = {},
  ) {
    super(message, { cause });
    this.detail = detail;
  }
}
