import type { Millis } from "@openseat/kernel";
import type { StreamName } from "./log.ts";

/** That a stream has grown. A hint may be late, doubled or lost: it only says where to look. */
export interface Grown {
  readonly stream: StreamName;
  /** It has at least this version. */
  readonly version: number;
  /** Something waits in the outbox since. */
  readonly hasEffects: boolean;
}

/** Signs of life that a node has had of places in one stream: pages of bits, as `PresenceBitmap` packs them. */
export interface Heard {
  readonly stream: StreamName;
  readonly pages: Uint8Array;
}

/** How things stand among the nodes, by the log's own clock. */
export interface Beat {
  /** The time at the log, when it answered. */
  readonly at: Millis;
  /** Since when there has always been some node that could use the log. What is older lies before an outage. */
  readonly servedSince: Millis;
  /** The one node that delivers, ends what is silent, and fetches messages. It is for `caretakerMs` after the beat was sent. */
  readonly isCaretaker: boolean;
  /**
   * The other nodes that have beaten within `goneAfterMs`; and for each until when all that it had heard is told. That is
   * the time of its beat before the last, 0 when there was none: what it heard while the last was on its way comes with
   * the next.
   */
  readonly others: ReadonlyMap<string, Millis>;
  /** For the caretaker alone: what the other nodes have heard since it was last told. */
  readonly heard: readonly Heard[];
  /** Which run of the database server answered. After a restart or a failover it is another, and the log may have gone back. */
  readonly server: string;
}

export const sharingLimits = {
  /** How often each node beats. */
  beatMs: 400,
  /** A node that has not beaten for so long is taken for gone. */
  goneAfterMs: 2_000,
  /** A caretaker that has not beaten for so long is none any more, and the next node that beats is. */
  caretakerMs: 3_000,
  /** Without a beat of any node for so long, nobody was served. A node whose own are older has to beat before it knows. */
  outageMs: 1_000,
} as const;

/** What a process makes of the log that it opens: it owns it alone, or is one node among others. */
export interface Roles<Membership> {
  owner(): Membership;
  node(sharing: Sharing): Membership;
}

/**
 * What several nodes on one log need of it (CL1 to CL5). Nodes know of each other only what is here, and never talk to each
 * other. As with `Log`, every method may reject with `LogUnavailable`.
 */
export interface Sharing {
  /** Tells the other nodes. What cannot be told is dropped: they look by themselves, now and then. */
  announce(grown: readonly Grown[]): void;
  /**
   * Called with what other nodes announce; with undefined whenever announcements may have been missed. For one listener, which
   * stays until the log is closed.
   */
  listen(onGrown: (grown: readonly Grown[] | undefined) => void): void;
  /**
   * That this node is there, and what it has heard since its last beat that succeeded. To be called every `beatMs`. When it
   * rejects, what was heard may or may not have been told: telling it again does no harm.
   */
  beat(heard: readonly Heard[]): Promise<Beat>;
  /** This node goes, and has told all that it has heard: nobody has to wait for it, and another can be the caretaker at once. */
  leave(): Promise<void>;
}
