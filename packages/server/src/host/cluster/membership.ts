import type { Millis } from "@openseat/kernel";
import type { StreamName } from "../../log/log.ts";
import type { StreamAdvanced } from "../../log/sharing.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";

/** The newest entry of a stream, to judge whether people could act since. */
export interface LastEntry {
  readonly at: Millis;
  /** Until when the stream could not be read although somebody asked for it, by the clock. */
  readonly unreadableUntil: Millis;
  /** It was read from the log, and the clock was behind it. */
  readonly isAhead: boolean;
  /** The stream's clock had to restart when it was read, and nothing has been decided since. */
  readonly wasStopped: boolean;
}

/** How this process uses the log: as its sole owner, or as one node of several. Nothing else in the host differs between the two. */
export interface Membership {
  readonly isLeader: boolean;
  readonly nodes: number;
  /** Milliseconds since this node's last heartbeat; undefined without other nodes. */
  readonly sinceBeatMs: number | undefined;
  /** Whether a state in memory is the newest, because no other process appends. */
  readonly memoryIsNewest: boolean;
  /** All heartbeats that other nodes received until this time are known here, by `clock.elapsed`. */
  readonly heartbeatsKnownUntil: number;
  /** The fewest spans in a window: heartbeats of other nodes must arrive between the end of one window and of two (LS1). */
  readonly spansMin: 1 | 2;
  /** What to do with a message that no sender of this process handles: another node may have one. */
  readonly unsendable: "retry" | "failure";
  /** Whether reading a stream that is ahead of the clock restarts its clock. */
  readonly readingRestarts: boolean;
  /** The end of the last outage that did not restart all leases by itself, by `clock.elapsed`. */
  readonly interruptedAt: number;
  /** False while there may be an outage that this process has not learnt of. Nothing that is due may be decided then. */
  readonly isCurrent: boolean;
  /** AR9: whether people could not act at some time since this entry. Then clocks restart before anything else is decided. */
  isInterruptedSince(entry: LastEntry): boolean;
  /** Rejects if the log cannot be used. Then it has to be tried again. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Wraps a call to the log. If it fails or is slow, people could not act meanwhile. */
  watch<T>(call: Promise<T>): Promise<T>;
  interrupt(): void;
  /** A heartbeat for the node that keeps the leases. */
  noteHeartbeat(stream: StreamName, ticket: number): void;
  /** Finds out the version of the stream, for reads that wait for it. */
  checkVersion(mailbox: AnyMailbox): void;
  noteLoaded(mailbox: AnyMailbox): void;
  /** Calls `then` when memory has caught up with what other nodes have appended. */
  afterOthers(stream: StreamName, then: () => void): void;
  awaitBeat(mailbox: AnyMailbox): void;
  /** Wakes the mailbox when it is known whether there was an outage. If that fails or takes long, what waits is refused. */
  holdBack(mailbox: AnyMailbox): void;
  /** Tells the other nodes that this was appended here. */
  announce(advanced: StreamAdvanced): void;
  /** Something may have been appended here, but the answer was lost. */
  doubt(stream: StreamName): void;
}
