import { LogUnavailable, type StreamName } from "../../log/log.ts";
import { type StreamAdvanced, sharingLimits } from "../../log/sharing.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";
import type { LastEntry, Membership } from "./membership.ts";
import { NodeHeartbeat, type NodeHeartbeatDeps } from "./node-heartbeat.ts";
import { VersionCheck } from "./version-check.ts";

/** Announcements may be lost, so all streams in memory are checked this often. */
const checkAllMs = 5_000;
/** Streams whose commit was not answered. The other nodes find further ones by themselves (CL2). */
const doubtfulMax = 10_000;
/** How many of them are checked per heartbeat. */
const doubtfulAtOnceMax = 1_000;
/** The database may finish a commit after the connection broke, so the first check may come too early. */
const doubtfulAsks = 2;

interface ClusterDeps extends Omit<NodeHeartbeatDeps, "onGone" | "onBeat" | "onMissed"> {
  readonly tend: (mailbox: AnyMailbox) => void;
  readonly bring: (stream: StreamName) => Promise<unknown>;
  /** Entries up to this version were not published here. */
  readonly onUnpublished: (stream: StreamName, version: number) => void;
  /** A stream that is not in memory has grown to this version or more; without a name, any stream may have. */
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
  /** In these it is not settled who expires: heartbeats of other nodes may be on their way. */
  #lapsing = new Set<AnyMailbox>();
  /** In these it is not known yet whether an outage has stopped a clock. */
  #heldBack = new Set<AnyMailbox>();
  /** These may have grown by a commit of this node whose answer was lost; and how often to check that. */
  readonly #doubtful = new Map<StreamName, number>();
  #checkedAt = 0;

  constructor(deps: ClusterDeps) {
    this.#deps = deps;
    this.#versionCheck = new VersionCheck(deps);
    this.#heartbeat = new NodeHeartbeat({
      ...deps,
      onGone: () => {
        // Heartbeats may be lost with the node that received them, and so may its last announcements.
        for (const mailbox of deps.cache.all()) mailbox.presence.begin();
        this.#checkAll();
      },
      onServerChanged: (since) => {
        // Also streams that nobody asks for: their watchers may have seen what is lost.
        this.#checkAll();
        deps.onServerChanged(since);
      },
      onBeat: () => this.#afterBeat(),
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

  get sinceBeatMs(): number {
    return this.#heartbeat.sinceMs;
  }

  /** Only outages of all nodes count: a stream that one node cannot read must not restart clocks on the others. */
  isInterruptedSince({ at }: LastEntry): boolean {
    return at < this.#heartbeat.servedSince;
  }

  watch<T>(call: Promise<T>): Promise<T> {
    return call;
  }

  interrupt(): void {}

  /** If another node's heartbeat has ended an outage already, this node's latest one is older than the outage is long. */
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

  /** Entries that others appended while it was out of memory were not published here. */
  noteLoaded({ stream, version }: AnyMailbox): void {
    this.#deps.onUnpublished(stream, version);
  }

  afterOthers(stream: StreamName, then: () => void): void {
    void this.#deps.bring(stream).then(then);
  }

  awaitBeat(mailbox: AnyMailbox): void {
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

  /** If the stream has grown, the other nodes are told when the log answers again. */
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
        // The version that is there, not the one that may have been written: once told of a version, the others ignore it.
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

  #afterBeat(): void {
    void this.#notifyDoubtful();
    // If every heartbeat takes this long, they would wait for ever.
    if (!this.isCurrent) this.#refuseHeldBack(new LogUnavailable("The log takes too long to answer."));
    const waiting = [...this.#lapsing, ...this.#heldBack];
    this.#lapsing = new Set();
    this.#heldBack = new Set();
    const { cache, wake } = this.#deps;
    for (const mailbox of waiting) if (cache.get(mailbox.stream) === mailbox) wake(mailbox);
    if (this.#deps.clock.elapsed() - this.#checkedAt >= checkAllMs) this.#checkAll();
  }
}
