import type { Effect, Listing, Millis, Rows } from "@openseat/kernel";
import type { CommitOutcome, Decide, Wanted } from "./commit.ts";
import type { Roles } from "./sharing.ts";

/** Kind and id: `game/k3v9…`. The kind says which decider runs the stream. */
export type StreamName = `${string}/${string}`;

/** A compare-and-append: it succeeds only if the stream is at `after` (LG1). */
export interface Append {
  readonly stream: StreamName;
  /** The version that the decision was made on; 0 for a stream that is not there yet. */
  readonly after: number;
  /** Encoded entries, of the versions `after + 1`, `after + 2`… */
  readonly lines: readonly string[];
  /** The hash of the chain after the last of them. */
  readonly hash: string;
  /** When the stream wants to be woken next. */
  readonly due: Millis | undefined;
  readonly listing: Listing;
  /** LM7: the person who makes the stream, with its first entry. Later ones do not change it. */
  readonly creator?: string | undefined;
  /** What is asked for by query, of the same entries. */
  readonly rows?: Rows | undefined;
  /** What they cause elsewhere: kept until it has arrived there. */
  readonly effects?: readonly (Effect & { readonly version: number })[];
}

/** An effect that has not arrived yet. Numbers rise in the order in which they were written. */
export interface Outgoing {
  readonly number: number;
  readonly from: StreamName;
  readonly version: number;
  /** The stream that it is for, or somewhere outside, as `sms/7`. */
  readonly to: StreamName;
  readonly body: Effect["body"];
}

/** The way that effects go: to one place, from one stream or, without `from`, from whichever. */
export interface Route {
  readonly from?: StreamName | undefined;
  readonly to: StreamName;
}

/** Numbers after one of them, up to and with the other. */
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

/** Of one append, for adapters: whether the stream was at its version. */
export type AppendOutcome = "appended" | "conflict";

export interface Head {
  readonly version: number;
  readonly hash: string;
}

/** Entries that were stored together, and the hash of the chain after them. */
export interface StoredBatch {
  readonly first: number;
  readonly lines: readonly string[];
  readonly hash: string;
}

export interface Snapshot extends Head {
  readonly parts: readonly Uint8Array[];
}

/** One part of the snapshot that a stream has at this version. */
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

/** How much is stored, and how much waits to be delivered. */
export interface StoreSizes {
  readonly databaseBytes: number;
  /** Of the write-ahead log; undefined where it is another's to look after, as PostgreSQL's is. */
  readonly walBytes: number | undefined;
  /** What waits to be delivered, up to `outboxCountMax`. */
  readonly outboxWaiting: number;
  /** The time of the entry that caused what waits longest; undefined when nothing waits. */
  readonly outboxOldestAt: Millis | undefined;
}

/** To count more would hold up those who write. */
export const outboxCountMax = 100_000;

/** Whose streams to count, of which kinds, up to which number. */
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
  /** Why it cannot be used just now; undefined when it can. While it is there, every call is refused at once. */
  readonly trouble?: LogUnavailable | undefined;
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
  /** The heads of these streams, with everything acknowledged before the question; undefined for one that is not there. */
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
  /** The earliest due time after `now`. */
  nextDue(now: Millis): Promise<Millis | undefined>;
  /** How late a due time may become known here: what another node has appended wants to be woken too. */
  readonly dueLateMs: number;
  /** What waits to be delivered, after this number. What could not be is not among it. */
  outbox(after: number, limit: number): Promise<Outgoing[]>;
  /** How long a number may still come after higher ones have been seen: whoever took it had not written yet. */
  readonly outboxLateMs: number;
  /** Of what waits, that which goes one way. */
  outboxOf(route: Route, span: Span, limit: number): Promise<Outgoing[]>;
  /** It has arrived. */
  delivered(numbers: readonly number[]): Promise<void>;
  /** It was refused for good: kept, for someone to look at, and not tried again. Only the latest `deadLettersMax` are. */
  undeliverable(numbers: readonly number[], reason: string, at: Millis): Promise<void>;
  /** What was set aside so, the newest first; only what has a number before this one. */
  deadLetters(before: number | undefined, limit: number): Promise<DeadLetter[]>;
  /** Makes one of those wait again, behind everything else: under a new number. Undefined when there is no such one. */
  resend(number: number): Promise<Outgoing | undefined>;
  /** Removes one of those. False when there is no such one. */
  discard(number: number): Promise<boolean>;
  /** For the metrics; undefined where nothing is stored. */
  sizes?(): Promise<StoreSizes>;
  /** Replaces the stream's snapshot. A crash in between leaves the old one. */
  saveSnapshot(stream: StreamName, snapshot: Head & { readonly parts: Iterable<Uint8Array> }): Promise<void>;
  /** The version of the stream's snapshot, which another node may have saved; 0 when it has none. */
  snapshotVersion(stream: StreamName): Promise<number>;
  loadSnapshot(stream: StreamName): Promise<Snapshot | undefined>;
  /** The same part by part, from 0 on; undefined after the last. */
  snapshotPart(stream: StreamName, part: number): Promise<SnapshotPart | undefined>;
  close(): Promise<void>;
}

/** What a flush cost, for the metrics. */
export type FlushObserver = (flush: { entries: number; seconds: number }) => void;

/** Of what was set aside, so many are kept, and up to a thousand more; then the oldest are dropped. */
export const deadLettersMax = 100_000;
/** Whether it is time to look for such: not with each, for that would go through all of them. */
export const isTimeToDrop = (number: number): boolean => number % 1_000 === 0;

/** The store cannot be opened at all: no such folder, no permission, a newer schema. */
export class LogUnusable extends Error {
  override readonly name = "LogUnusable";
}

/** The store cannot be used just now: the disk is full, a flush failed, the writer is gone. */
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
