import { LogUnavailable, type StreamName } from "../../log/log.ts";
import { type StreamAdvanced, sharingLimits } from "../../log/sharing.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";
import type { LastEntry, Membership } from "./membership.ts";
import { NodeHeartbeat, type NodeHeartbeatDeps } from "./node-heartbeat.ts";
import { VersionCheck } from "./version-check.ts";

/** Announcements can be lost, so all streams in memory are checked at this interval. */
const checkAllMs = 5_000;
/** Streams whose commit got no answer. Other nodes find any further ones by themselves (CL2). */
const doubtfulMax = 10_000;
/** Number of these streams that are checked per heartbeat. */
const doubtfulAtOnceMax = 1_000;
/** The database may finish a commit after the connection broke, so the first check may come too early. */
const doubtfulAsks = 2;

interface ClusterDeps extends Omit<NodeHeartbeatDeps, "onGone" | "onHeartbeat" | "onMissed"> {
  readonly tend: (mailbox: AnyMailbox) => void;
  readonly bring: (stream: StreamName) => Promise<unknown>;
  /** Entries up to this version were not published on this node. */
  readonly onUnpublished: (stream: StreamName, version: number) => void;
  /** A stream that is not in memory has advanced to this version or beyond. Without a name, any stream may have. */
  readonly onAdvanced: (stream?: StreamName, version?: number) => void;
  readonly onEffects: () => void;
}

export class ClusterMember implements Membership {
  readonly memoryIsNewest = false;
  readonly spansMin = 2;
  readonly readingRestarts = false;
  readonly unsendable = "retry";
  /** After an outage, the node heartbeat restarts all leases. */
  readonly interruptedAt = Number.NEGATIVE_INFINITY;
  readonly #deps: ClusterDeps;
  readonly #heartbeat: NodeHeartbeat;
  readonly #versionCheck: VersionCheck;
  /** Mailboxes that cannot yet decide who expires, because heartbeats from other nodes may still arrive. */
  #lapsing = new Set<AnyMailbox>();
  /** Mailboxes that do not know yet whether an outage stopped their clock. */
  #heldBack = new Set<AnyMailbox>();
  /** Streams that may have advanced by a commit of this node whose answer was lost, with the number of checks left. */
  readonly #doubtful = new Map<StreamName, number>();
  #checkedAt = 0;

  constructor(deps: ClusterDeps) {
    this.#deps = deps;
    this.#versionCheck = new VersionCheck(deps);
    this.#heartbeat = new NodeHeartbeat({
      ...deps,
      onGone: () => {
        // Heartbeats and last announcements are lost together with the node that received them.
        for (const mailbox of deps.cache.all()) mailbox.presence.begin();
        this.#checkAll();
      },
      onServerChanged: (since) => {
        // Check all streams, including those that nobody requests: their watchers may have seen entries that are lost.
        this.#checkAll();
        deps.onServerChanged(since);
      },
      onHeartbeat: () => this.#afterHeartbeat(),
      onMissed: (error) => this.#refuseHeldBack(error),
    });
  }

  async start(): Promise<void> {
    await this.#heartbeat.start();
    this.#deps.sharing.listen((advanced) => this.#follow(advanced));
  }

  stop(): Promise<void> {
    return this.#heartbeat.stop();
  }

  get isLeader(): boolean {
    return this.#heartbeat.isLeader;
  }

  get sinceHeartbeatMs(): number {
    return this.#heartbeat.sinceMs;
  }

  /** AR9: only outages of the whole cluster count. A stream that one node cannot read must not restart clocks on the others. */
  isInterruptedSince({ at }: LastEntry): boolean {
    return at < this.#heartbeat.servedSince;
  }

  watch<T>(call: Promise<T>): Promise<T> {
    return call;
  }

  interrupt(): void {}

  /** False while this node's latest heartbeat is older than an outage: another node's heartbeat may have ended one meanwhile. */
  get isCurrent(): boolean {
    // The log counts whole milliseconds.
    return this.#heartbeat.sinceMs < sharingLimits.outageMs - 1;
  }

  get heartbeatsKnownUntil(): number {
    return this.#heartbeat.heartbeatsKnownUntil;
  }

  get nodes(): number {
    return this.#heartbeat.nodes;
  }

  noteHeartbeat(stream: StreamName, ticket: number): void {
    this.#heartbeat.noteHeartbeat(stream, ticket);
  }

  checkVersion(mailbox: AnyMailbox): void {
    this.#versionCheck.want(mailbox);
  }

  /** Entries that other nodes appended while the stream was out of memory were not published here. */
  noteLoaded({ stream, version }: AnyMailbox): void {
    this.#deps.onUnpublished(stream, version);
  }

  afterOthers(stream: StreamName, then: () => void): void {
    void this.#deps.bring(stream).then(then);
  }

  awaitHeartbeat(mailbox: AnyMailbox): void {
    this.#lapsing.add(mailbox);
  }

  holdBack(mailbox: AnyMailbox): void {
    this.#heldBack.add(mailbox);
  }

  #refuseHeldBack(error: unknown): void {
    const heldBack = this.#heldBack;
    this.#heldBack = new Set();
    for (const mailbox of heldBack) mailbox.refuseWaiting(error);
  }

  announce(advanced: StreamAdvanced): void {
    this.#deps.sharing.announce([advanced]);
  }

  /** If the stream has advanced, the other nodes are notified when the log answers again. */
  doubt(stream: StreamName): void {
    if (this.#doubtful.size < doubtfulMax) this.#doubtful.set(stream, doubtfulAsks);
  }

  async #notifyDoubtful(): Promise<void> {
    if (this.#doubtful.size === 0) return;
    const doubtful = [...this.#doubtful].slice(0, doubtfulAtOnceMax);
    for (const [stream] of doubtful) this.#doubtful.delete(stream);
    const { log, sharing, onError } = this.#deps;
    try {
      const heads = await log.heads(doubtful.map(([stream]) => stream));
      for (const [index, [stream, asksLeft]] of doubtful.entries()) {
        // Announce the stored version, not the one that may have been written: nodes ignore versions that they already know.
        const version = heads[index]?.version;
        if (version !== undefined) sharing.announce([{ stream, version, hasEffects: true }]);
        if (asksLeft > 1 && !this.#doubtful.has(stream)) this.#doubtful.set(stream, asksLeft - 1);
      }
    } catch (error) {
      onError(error);
      for (const [stream] of doubtful) this.doubt(stream);
    }
  }

  #follow(advanced: readonly StreamAdvanced[] | undefined): void {
    if (!advanced) {
      this.#checkAll();
      return;
    }
    const { cache, tend, onAdvanced, onEffects } = this.#deps;
    for (const { stream, version, hasEffects } of advanced) {
      const mailbox = cache.get(stream);
      mailbox?.know(version);
      if (mailbox && mailbox.phase !== "absent") tend(mailbox);
      else onAdvanced(stream, version);
      if (hasEffects) onEffects();
    }
  }

  #checkAll(): void {
    const { cache, clock, onAdvanced, onEffects } = this.#deps;
    this.#checkedAt = clock.elapsed();
    for (const mailbox of cache.all()) if (mailbox.phase !== "absent") this.#versionCheck.want(mailbox);
    onAdvanced();
    onEffects();
  }

  #afterHeartbeat(): void {
    void this.#notifyDoubtful();
    // If every heartbeat took this long, these mailboxes would wait forever.
    if (!this.isCurrent) this.#refuseHeldBack(new LogUnavailable("The log takes too long to answer."));
    const waiting = [...this.#lapsing, ...this.#heldBack];
    this.#lapsing = new Set();
    this.#heldBack = new Set();
    const { cache, wake } = this.#deps;
    for (const mailbox of waiting) if (cache.get(mailbox.stream) === mailbox) wake(mailbox);
    if (this.#deps.clock.elapsed() - this.#checkedAt >= checkAllMs) this.#checkAll();
  }
}
