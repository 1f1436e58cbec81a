import type { Millis } from "@openseat/kernel";
import type { StreamName } from "../../log/log.ts";
import type { StreamAdvanced } from "../../log/sharing.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";

/** The newest entry of a stream, to decide whether people have been able to act since. */
export interface LastEntry {
  readonly at: Millis;
  /** The time until which the stream could not be read although it was requested. */
  readonly unreadableUntil: Millis;
  /** The stream was loaded while the clock was behind its newest entry. */
  readonly isAhead: boolean;
  /** The stream's clock had to restart when it was loaded, and nothing has been decided since. */
  readonly wasStopped: boolean;
}

/** How this process uses the log: as its sole owner or as one node of several. Nothing else in the host depends on this. */
export interface Membership {
  readonly isLeader: boolean;
  readonly nodes: number;
  /** Milliseconds since this node's last heartbeat. Undefined for a sole owner. */
  readonly sinceHeartbeatMs: number | undefined;
  /** True if the state in memory is always the newest, because no other process appends. */
  readonly memoryIsNewest: boolean;
  /** All heartbeats that other nodes received until this time (`clock.elapsed`) are known here. */
  readonly heartbeatsKnownUntil: number;
  /**
   * Minimum number of spans per window. Heartbeats from other nodes arrive within one more span, so several nodes need two
   * (LS1).
   */
  readonly spansMin: 1 | 2;
  /** What to do with a message for which this process has no sender. Another node may have one. */
  readonly unsendable: "retry" | "failure";
  /** Whether loading a stream that is ahead of the clock restarts its clock. */
  readonly readingRestarts: boolean;
  /** End of the last outage that did not restart all leases by itself (`clock.elapsed`). */
  readonly interruptedAt: number;
  /** False while there may be an outage that this process does not know of. It must not decide anything that is due then. */
  readonly isCurrent: boolean;
  /**
   * AR9: whether there was a time since this entry in which people could not act. If so, clocks restart before anything else is
   * decided.
   */
  isInterruptedSince(entry: LastEntry): boolean;
  /** Rejects if the log cannot be used. The caller has to retry. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Wraps a call to the log. If it fails or is slow, people could not act meanwhile. */
  watch<T>(call: Promise<T>): Promise<T>;
  interrupt(): void;
  /** Passes a heartbeat on to the node that manages the leases. */
  noteHeartbeat(stream: StreamName, ticket: number): void;
  /** Asks for the version of the stream, for reads that wait for it. */
  checkVersion(mailbox: AnyMailbox): void;
  noteLoaded(mailbox: AnyMailbox): void;
  /** Calls `then` once memory includes what other nodes have appended. */
  afterOthers(stream: StreamName, then: () => void): void;
  awaitHeartbeat(mailbox: AnyMailbox): void;
  /**
   * Wakes the mailbox when it is known whether there was an outage. If that fails or takes too long, its waiting commands are
   * refused.
   */
  holdBack(mailbox: AnyMailbox): void;
  /** Notifies the other nodes of entries that were appended here. */
  announce(advanced: StreamAdvanced): void;
  /** Marks a stream whose append got no answer, so something may have been written. */
  doubt(stream: StreamName): void;
}
