import type { Millis } from "@openseat/kernel";
import type { LiveQuery, StreamName } from "../log/log.ts";
import { ClusterMember } from "./cluster/cluster-member.ts";
import type { Membership } from "./cluster/membership.ts";
import { SoleOwner } from "./cluster/sole-owner.ts";
import { type CommitCounts, CommitLoop } from "./commit/commit-loop.ts";
import type { Committed } from "./commit/committed.ts";
import { DueStreams } from "./commit/due-streams.ts";
import type { HostContext } from "./host-context.ts";
import type { AnyDecider, HostOptions } from "./host-options.ts";
import { DeadLetters } from "./outbox/dead-letters.ts";
import { Deliveries } from "./outbox/deliveries.ts";
import type { DeliveryCounts } from "./outbox/delivery-handlers.ts";
import { Heartbeats } from "./presence/heartbeats.ts";
import { Holds } from "./presence/holds.ts";
import { LeaseRecovery } from "./presence/lease-recovery.ts";
import { Requests } from "./requests.ts";
import { entriesAfter, entryAt } from "./stream/entries.ts";
import { type AnyMailbox, Mailbox } from "./stream/mailbox.ts";
import { Snapshots } from "./stream/snapshots.ts";
import { StreamCache } from "./stream/stream-cache.ts";
import { StreamLoader } from "./stream/stream-loader.ts";
import { kindOf, type Streams, streamNames } from "./streams.ts";

const quietCheckMs = 5;

/**
 * Runs streams: loads them, commits waiting commands, and publishes what became durable, including entries from other nodes on
 * the same log.
 */
export class Host {
  readonly #options: HostOptions;
  readonly #due: DueStreams;
  readonly #snapshots: Snapshots;
  readonly #leaseRecovery: LeaseRecovery;
  readonly #delivering: Deliveries;
  readonly deadLetters: DeadLetters;
  readonly deliveries: DeliveryCounts;
  readonly commits: CommitCounts = { count: 0, seconds: 0, conflicts: 0 };
  /** CL6: how often memory had entries that the log does not contain. */
  forks = 0;
  readonly #holds = new Holds();
  readonly #requests: Requests;
  readonly #heartbeats: Heartbeats;
  readonly #loader: StreamLoader;
  readonly #cache: StreamCache;
  /** A stream is always committed by the same shard. */
  readonly #shards: readonly CommitLoop[];
  readonly #membership: Membership;
  #stopped = false;

  constructor(options: HostOptions) {
    const { log, clock, deciders } = options;
    this.#options = options;
    this.#cache = new StreamCache({
      clock,
      max: options.residentStreamsMax ?? 100_000,
      idleMs: options.idleMs ?? 5 * 60_000,
      make: this.#newMailbox,
      isAwake: (mailbox) => this.#shardOf(mailbox).has(mailbox),
    });
    const onError = this.#noteError;
    const shared = {
      ...{ log, clock, deciders, cache: this.#cache, onError },
      wake: this.#wake,
      onForked: this.#forked,
      onAbsorbed: this.#publish,
    };
    const membership = this.#join(shared);
    this.#membership = membership;
    const context: HostContext = { ...shared, membership };
    this.#requests = new Requests(context);
    this.#heartbeats = new Heartbeats({
      ...context,
      holds: this.#holds,
      keepsLeases: () => this.#keepsLeases,
    });
    this.#loader = new StreamLoader(context, (stream, aheadMs) => options.onAhead?.(stream, aheadMs));
    this.#due = new DueStreams(context, this.#wakeDue);
    this.#snapshots = new Snapshots(log, options.snapshotTailMin ?? 25_000, onError);
    this.#leaseRecovery = new LeaseRecovery(context, this.#requests);
    this.#delivering = new Deliveries({
      ...{ log, clock, deciders, onError, senders: options.senders ?? {} },
      ask: (to, ask) => this.#requests.ask(to, ask),
      unsendable: membership.unsendable,
    });
    this.deliveries = this.#delivering.counts;
    this.deadLetters = new DeadLetters(log, this.#delivering, membership);
    const loopDeps = {
      ...{ ...context, counts: this.commits, loader: this.#loader },
      onCommitted: this.#committed,
      onIdle: this.#tend,
      onLeft: this.#left,
      onDoubt: (stream: StreamName) => {
        options.onDoubt?.(stream);
        membership.doubt(stream);
      },
      onFailed: this.#failed,
    };
    this.#shards = Array.from({ length: log.shards }, () => new CommitLoop(loopDeps));
  }

  readonly #noteError = (error: unknown): void => {
    try {
      this.#options.onError?.(error);
    } catch {
      // The callback may throw, as a logger does on a full disk. The commit must finish anyway.
    }
  };

  #join(shared: Omit<HostContext, "membership">): Membership {
    const { log, clock, onDoubt } = this.#options;
    return log.join<Membership>({
      owner: () => new SoleOwner(clock, this.#takeCare),
      node: (sharing) =>
        new ClusterMember({
          ...{ ...shared, sharing, holds: this.#holds },
          tend: this.#tend,
          bring: (stream) => this.#requests.bring(stream),
          onUnpublished: (stream, version) => onDoubt?.(stream, version),
          onAdvanced: this.#onAdvanced,
          onServerChanged: this.#serverChanged,
          onEffects: () => this.#delivering.wake(),
          onLeader: this.#takeCare,
        }),
    });
  }

  /** Rejects if a shared log cannot be used. The caller has to retry. */
  async start(): Promise<void> {
    await this.#membership.start();
    if (this.#stopped) return;
    this.#due.start();
    this.#cache.start();
  }

  /** Refuses new work, finishes what is under way, and closes the log. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#requests.close();
    for (const mailbox of this.#cache.all()) mailbox.presence.end();
    const leaseRecovery = this.#leaseRecovery.stop();
    const delivering = this.#delivering.end();
    const { log, clock } = this.#options;
    while (!this.#isQuiet()) await new Promise<void>((resolve) => clock.after(quietCheckMs, resolve));
    // Stop the alarm last: work that just finished may have set it, and a timer keeps the process alive.
    this.#due.stop();
    this.#cache.stop();
    await leaseRecovery;
    await delivering;
    await this.#snapshots.finish();
    await this.#membership.stop();
    await log.close();
  }

  /** Starts or stops the leader's duties: delivering messages and expiring silent places. */
  readonly #takeCare = (isLeader: boolean): void => {
    if (this.#stopped) return;
    for (const mailbox of this.#cache.all())
      if (isLeader) mailbox.presence.begin();
      else mailbox.presence.end();
    if (isLeader) {
      this.#leaseRecovery.start();
      this.#delivering.begin();
    } else {
      void this.#delivering.end();
    }
    this.#options.onLeader?.(isLeader);
  };

  get #keepsLeases(): boolean {
    return !this.#stopped && this.#membership.isLeader;
  }

  countLive(query: LiveQuery): Promise<number> {
    return this.#options.log.countLive(query);
  }

  get shed(): number {
    return this.#requests.shed;
  }

  get residentStreams(): number {
    return this.#cache.size;
  }

  get nodes(): number {
    return this.#membership.nodes;
  }

  get isLeader(): boolean {
    return this.#membership.isLeader;
  }

  /** Milliseconds since this node's last heartbeat. Undefined for a sole owner. */
  get sinceBeatMs(): number | undefined {
    return this.#membership.sinceBeatMs;
  }

  streams<State, Command, Event>(kind: string): Streams<State, Command, Event> {
    const { log } = this.#options;
    const nameOf = streamNames(kind);
    return {
      ask: (id, ask) => this.#requests.ask(nameOf(id), ask),
      read: (id, reader) => this.#requests.read(nameOf(id), reader),
      peek: (id, reader) => this.#requests.peek(nameOf(id), reader),
      entry: (id, version) => entryAt(log, nameOf(id), version),
      entriesAfter: (id, version) => entriesAfter(log, nameOf(id), version),
      lookAround: (max, reader) => this.#requests.lookAround(`${kind}/`, max, reader),
      list: (query) => log.list({ ...query, kind }),
      heard: (id, ticketSource) => this.#heartbeats.note(nameOf(id), ticketSource),
      heardSince: (id, ticket) => this.#cache.get(nameOf(id))?.presence.presentSince(ticket),
      hold: (id, ticket) => this.#heartbeats.hold(nameOf(id), ticket),
    };
  }

  readonly #newMailbox = (stream: StreamName): AnyMailbox => {
    const { log, clock } = this.#options;
    const mailbox: AnyMailbox = new Mailbox(stream, this.#deciderOf(stream)!, {
      ...{ log, clock },
      held: () => this.#holds.of(stream),
      ring: () => this.#wake(mailbox),
      membership: this.#membership,
      // An evicted mailbox receives no heartbeats, so it must not expire places.
      keepsLeases: () => this.#keepsLeases && this.#cache.get(stream) === mailbox,
      fetches: this.#loader.slots,
    });
    return mailbox;
  };

  #deciderOf(stream: StreamName): AnyDecider | undefined {
    return this.#options.deciders[kindOf(stream)];
  }

  readonly #wake = (mailbox: AnyMailbox): void => {
    this.#shardOf(mailbox).wake(mailbox);
  };

  #shardOf({ stream }: AnyMailbox): CommitLoop {
    if (this.#shards.length === 1) return this.#shards[0];
    let sum = 0;
    for (let index = 0; index < stream.length; index++) sum = (sum * 31 + stream.charCodeAt(index)) >>> 0;
    return this.#shards[sum % this.#shards.length];
  }

  /** Reloads a stream that lost its state. If everybody in it has left, no request would do that. */
  #recoverLeases({ stream, phase, presence }: AnyMailbox): void {
    if (this.#keepsLeases && phase === "absent" && presence.mayBeNeeded) this.#leaseRecovery.again(stream);
  }

  readonly #left = (mailbox: AnyMailbox): void => {
    this.#recoverLeases(mailbox);
    if (mailbox.isQuiet) this.#tend(mailbox);
    else this.#wake(mailbox);
  };

  readonly #tend = (mailbox: AnyMailbox): void => {
    const isWaitedFor = !mailbox.isQuiet;
    // The mailbox left memory while its version was requested.
    if (!isWaitedFor && this.#cache.get(mailbox.stream) !== mailbox) return;
    const now = this.#options.clock.now();
    // Decide what is due first: a reader must not see a room that should have ended.
    const isOverdue = () => mailbox.isAtRest && mailbox.clock.isDue(now);
    if (mailbox.phase === "stale" && this.#isFollowed(mailbox)) void this.#loader.catchUp(mailbox);
    else if (mailbox.isAtRest && mailbox.clock.isHeldBack(now)) this.#membership.holdBack(mailbox);
    else if (isWaitedFor && (mailbox.phase === "absent" || isOverdue())) this.#wake(mailbox);
    else mailbox.serveReads();
    if (mailbox.reads.hasUnchecked && mailbox.isAtRest) this.#membership.checkVersion(mailbox);
    if (mailbox.presence.isUnsettled) this.#membership.awaitBeat(mailbox);
    // Requests for random ids must not push existing rooms out of memory.
    if (mailbox.isQuiet && mailbox.durable?.version === 0) this.#cache.drop(mailbox);
  };

  /** Whether entries from other nodes are needed here at once. Otherwise the next commit reads them. */
  #isFollowed(mailbox: AnyMailbox): boolean {
    const mayBeLeased = this.#keepsLeases && mailbox.presence.mayBeNeeded;
    return mailbox.mustCatchUp || mayBeLeased || (this.#options.isWatched?.(mailbox.stream) ?? true);
  }

  readonly #committed = (
    mailbox: AnyMailbox,
    committed: Committed<unknown>,
    due: Millis | undefined,
  ): void => {
    this.#due.at(due);
    if (committed.hasEffects) this.#delivering.wake();
    const { stream, entries, hasEffects } = committed;
    this.#membership.announce({ stream, version: entries[entries.length - 1].version, hasEffects });
    this.#publish(committed);
    try {
      this.#snapshots.consider(mailbox);
    } catch (error) {
      // The commit must finish anyway, or the stream is never served again.
      this.#noteError(error);
    }
  };

  readonly #publish = (committed: Committed<unknown>): void => {
    try {
      this.#options.onCommit?.(committed);
    } catch (error) {
      // The callback may throw. The commit must finish anyway.
      this.#noteError(error);
    }
  };

  readonly #failed = (): void => {
    // The failed append may have been written, together with its effects.
    this.#delivering.wake();
    this.#due.again();
  };

  readonly #forked = (mailbox: AnyMailbox): void => {
    this.forks++;
    this.#options.onForked?.(mailbox.stream);
    this.#recoverLeases(mailbox);
  };

  /** The log may have gone back: entries may be lost, and outbox numbers reused. */
  readonly #serverChanged = (since: number): void => {
    this.#options.onServerChanged?.((stream) => this.#cache.get(stream)?.versionSince(since) ?? 0);
    this.#due.again();
    if (!this.#keepsLeases) return;
    void this.#delivering.end();
    this.#delivering.begin();
  };

  /** Another node has appended to a stream that is not in memory here, or to an unknown one. */
  readonly #onAdvanced = (stream?: StreamName, version?: number): void => {
    this.#options.onDoubt?.(stream, version);
    if (!this.#keepsLeases) return;
    if (stream === undefined) this.#leaseRecovery.startAgain();
    else if (this.#deciderOf(stream)?.presence) this.#leaseRecovery.again(stream);
  };

  readonly #wakeDue = (stream: StreamName, now: Millis): void => {
    // A node with a newer version may have created kinds of streams that this one does not know.
    if (this.#stopped || !this.#deciderOf(stream) || this.#loader.isDamaged(stream)) return;
    const mailbox = this.#cache.take(stream);
    this.#wake(mailbox);
    // If the state in memory is not due, another node has appended since, and may have crashed.
    if (mailbox.phase !== "absent" && !mailbox.clock.isDue(now)) void this.#requests.bring(stream);
  };

  #isQuiet(): boolean {
    if (this.#shards.some((shard) => !shard.isQuiet)) return false;
    for (const mailbox of this.#cache.all()) if (!mailbox.isQuiet) return false;
    return true;
  }
}
