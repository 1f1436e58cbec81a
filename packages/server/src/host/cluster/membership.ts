import type { Millis } from "@openseat/kernel";
import type { StreamName } from "../../log/log.ts";
import type { Committed } from "../commit/committed.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";
import type { StreamCache } from "../stream/stream-cache.ts";

/** What can be told of the newest entry of a stream, to judge whether people could act since. */
export interface LastEntry {
  /** By the clock. */
  readonly at: Millis;
  /** By the clock: until then the stream could not be read when somebody asked for it. */
  readonly unreadableUntil: Millis;
  /** It was read from the log, and the clock was behind it. */
  readonly isAhead: boolean;
  /** Its clock had to restart when it was read, and nothing has been decided since. */
  readonly wasStopped: boolean;
}

/**
 * The part that this process has among those that use the log: it owns the log, or it is one node of several. What differs between
 * the two is behind this, and nowhere else in the host.
 */
export interface Membership {
  /** This is the one that delivers, ends what is silent, and fetches messages. */
  readonly isCaretaker: boolean;
  /** The nodes on this log, with this one. */
  readonly nodes: number;
  /** How long ago this node last told the others that it is there; undefined where there can be none. */
  readonly sinceBeatMs: number | undefined;
  /** Of heartbeats that other nodes have had until this time, by `clock.elapsed`, all are known here. */
  readonly heardUpTo: number;
  /** In how many spans a window is divided at least: what the other nodes have heard must fit between the end of one and of two (LS1). */
  readonly spansMin: 1 | 2;
  /** What to do with a message that no courier of this process handles: another node may have one. */
  readonly unsendable: "retry" | "failure";
  /** Whether the clock of a stream that is ahead of the clock restarts when the stream is read from the log. */
  readonly readingRestarts: boolean;
  /** When an outage was last over that did not restart all leases by itself, by `clock.elapsed`. */
  readonly interruptedAt: number;
  /** False while there may have been an outage that is not known here yet. Nothing that is due is decided then. */
  readonly isCurrent: boolean;
  /** AR9: whether there was time since this entry in which nobody could act. Then clocks restart before anything else is decided. */
  isInterruptedSince(entry: LastEntry): boolean;
  /** Rejects when the log cannot be used; then it is to be tried again. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What uses the log. If it fails or is slow, people could not act meanwhile. */
  watch<T>(call: Promise<T>): Promise<T>;
  /** People could not act until now. */
  interrupt(): void;
  /** A heartbeat, for whichever node keeps the leases. */
  hear(stream: StreamName, ticket: number): void;
  /** A state in memory, if it is known to be the newest without asking the log. */
  newest<State>(inMemory: State | undefined): State | undefined;
  /** Readers have come to this stream. */
  admit(reads: Pick<AnyMailbox["reads"], "assureAll">): void;
  /** Readers wait until it is known how far the stream is. */
  look(mailbox: AnyMailbox): void;
  /** The stream has come into memory. */
  noteLoaded(mailbox: AnyMailbox): void;
  /** All that was decided here was refused. */
  noteRefused(mailbox: AnyMailbox): void;
  /** Calls `then` once more is in memory of what other nodes have appended to the stream. */
  afterOthers(stream: StreamName, then: () => void): void;
  /** Once more is known of whom the others have heard, it is woken. */
  awaitBeat(mailbox: AnyMailbox): void;
  /** It is woken when it is known whether there was an outage; if that fails or takes long, what waits there is refused. */
  holdBack(mailbox: AnyMailbox): void;
  /** This was appended here. */
  announce(committed: Committed<unknown>): void;
  /** This may have been appended here: the answer was lost. */
  doubt(stream: StreamName): void;
  /** Something from this stream waits to be delivered again. */
  resent(from: StreamName): void;
}

/** What a membership tells the host. */
export interface MembershipDeps {
  readonly cache: Pick<StreamCache, "get" | "all">;
  /** Called when more is known of how far a stream in memory is. */
  readonly tend: (mailbox: AnyMailbox) => void;
  readonly wake: (mailbox: AnyMailbox) => void;
  /** Into memory, up to what is acknowledged. */
  readonly bring: (stream: StreamName) => Promise<unknown>;
  /** This was appended to the stream, up to this version, and published to nobody here. */
  readonly onUnpublished: (stream: StreamName, version: number) => void;
  /** A stream that is not in memory has grown, to this version at least; any of them, if it is not said which. */
  readonly onGrown: (stream?: StreamName, version?: number) => void;
  /** CL6: what was in memory was not what the log holds, and is dropped. */
  readonly onForked: (mailbox: AnyMailbox) => void;
  /** CL6: the log may have gone back since this moment, by `clock.elapsed`. */
  readonly onServerChanged: (since: number) => void;
  /** Something may wait to be delivered. */
  readonly onEffects: () => void;
  readonly onCaretaker: (isCaretaker: boolean) => void;
  readonly onError: (error: unknown) => void;
}
