import type { Millis } from "@openseat/kernel";
import type { StreamName } from "./log.ts";

/** A hint that a stream has grown. It may be late, doubled or lost. */
export interface StreamAdvanced {
  readonly stream: StreamName;
  readonly version: number;
  readonly hasEffects: boolean;
}

/** Heartbeats of places in one stream: pages of bits, as `PresenceBitmap` packs them. */
export interface RemoteHeartbeats {
  readonly stream: StreamName;
  readonly pages: Uint8Array;
}

/** The state of the cluster, by the log's own clock. */
export interface Beat {
  readonly at: Millis;
  /** Since when there has always been some node that could use the log. What is older lies before an outage. */
  readonly servedSince: Millis;
  /** The one node that delivers, ends what is silent, and fetches messages. It is for `leaderMs` after the beat was sent. */
  readonly isLeader: boolean;
  /**
   * The other nodes that have beaten within `goneAfterMs`; and for each until when all that it had heard is told. That is
   * the time of its beat before the last, 0 when there was none: what it heard while the last was on its way comes with
   * the next.
   */
  readonly others: ReadonlyMap<string, Millis>;
  /** For the leader alone: the heartbeats that other nodes have received since its last beat. */
  readonly heard: readonly RemoteHeartbeats[];
  /** Which run of the database server answered. After a restart or a failover it is another, and the log may have gone back. */
  readonly server: string;
}

export const sharingLimits = {
  beatMs: 400,
  /** A node without a beat for this long is gone. */
  goneAfterMs: 2_000,
  /** A leader without a beat for this long is replaced by the next node that beats. */
  leaderMs: 3_000,
  /** Without a beat of any node for this long, nobody was served. A node whose own are older has to beat before it knows. */
  outageMs: 1_000,
} as const;

/** A process owns its log alone, or is one node among others. */
export interface Roles<Membership> {
  owner(): Membership;
  node(sharing: Sharing): Membership;
}

/**
 * What several nodes on one log need of it (CL1 to CL5). Nodes never talk to each other directly. As with `Log`, every method may
 * reject with `LogUnavailable`.
 */
export interface Sharing {
  /** Tells the other nodes. A hint that cannot be sent is dropped: they check by themselves, now and then. */
  announce(advanced: readonly StreamAdvanced[]): void;
  /**
   * Called with what other nodes announce, and with undefined whenever announcements may have been missed. For one listener, until the
   * log is closed.
   */
  listen(onAdvanced: (advanced: readonly StreamAdvanced[] | undefined) => void): void;
  /**
   * That this node is there, and what it has heard since its last beat that succeeded. To be called every `beatMs`. When it
   * rejects, what was heard may or may not have been told: telling it again does no harm.
   */
  beat(heard: readonly RemoteHeartbeats[]): Promise<Beat>;
  /** This node goes, and has told all that it has heard: nobody has to wait for it, and another can be the leader at once. */
  leave(): Promise<void>;
}
