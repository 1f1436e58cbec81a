import type { Millis } from "@openseat/kernel";
import type { StreamName } from "./log.ts";

/** A hint that a stream has advanced. It may be late, duplicated or lost. */
export interface StreamAdvanced {
  readonly stream: StreamName;
  readonly version: number;
  readonly hasEffects: boolean;
}

/** Heartbeats of places in one stream that a node received: pages of bits, as `PresenceBitmap` packs them. */
export interface RemoteHeartbeats {
  readonly stream: StreamName;
  readonly pages: Uint8Array;
}

/** The state of the cluster, by the log's own clock. */
export interface ClusterState {
  readonly at: Millis;
  /** Since this time, at least one node could use the log at any moment. Anything older lies before an outage. */
  readonly servedSince: Millis;
  /**
   * The one node that delivers effects, expires silent places and fetches messages, for `leaderMs` after it sent this
   * heartbeat.
   */
  readonly isLeader: boolean;
  /**
   * The other nodes with a heartbeat within `goneAfterMs`. The value is the time until which each has reported all place
   * heartbeats that it received: the time of its previous node heartbeat, or 0. Heartbeats received while the last one was on
   * its way come with the next.
   */
  readonly others: ReadonlyMap<string, Millis>;
  /** For the leader only: the place heartbeats that other nodes have received since its previous node heartbeat. */
  readonly heartbeats: readonly RemoteHeartbeats[];
  /** Identifies the run of the database server. It changes after a restart or a failover, and then the log may have gone back. */
  readonly server: string;
}

export const sharingLimits = {
  heartbeatMs: 400,
  /** A node without a heartbeat for this long is gone. */
  goneAfterMs: 2_000,
  /** A leader without a heartbeat for this long is replaced by the next node that sends one. */
  leaderMs: 3_000,
  /**
   * If no node sent a heartbeat for this long, the service was down. A node whose own is older must send one before it decides.
   */
  outageMs: 1_000,
} as const;

/** A process is either the sole owner of its log or one node of several. */
export interface Roles<Membership> {
  owner(): Membership;
  node(sharing: Sharing): Membership;
}

/**
 * What several nodes need from a shared log (CL1 to CL5). Nodes never talk to each other directly. As with `Log`, every method
 * may reject with `LogUnavailable`.
 */
export interface Sharing {
  /** Notifies the other nodes. A hint that cannot be sent is dropped, because nodes also check periodically. */
  announce(advanced: readonly StreamAdvanced[]): void;
  /**
   * Called with announcements from other nodes, and with undefined whenever some may have been missed. Supports one listener,
   * until the log is closed.
   */
  listen(onAdvanced: (advanced: readonly StreamAdvanced[] | undefined) => void): void;
  /**
   * Sends this node's heartbeat with the place heartbeats received since its last successful one. Call it every `heartbeatMs`. If it
   * rejects, they may have been reported; reporting them again is harmless.
   */
  heartbeat(heartbeats: readonly RemoteHeartbeats[]): Promise<ClusterState>;
  /** This node leaves after reporting all heartbeats: nobody waits for it, and another node can become the leader at once. */
  leave(): Promise<void>;
}
