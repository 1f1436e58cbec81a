import type { Clock } from "../../clock.ts";
import { type Log, LogUnavailable, type StreamName } from "../../log/log.ts";
import { type Grown, type Sharing, sharingLimits } from "../../log/sharing.ts";
import type { Committed } from "../commit/committed.ts";
import type { Holds } from "../presence/holds.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";
import type { LastEntry, Membership, MembershipDeps } from "./membership.ts";
import { NodeHeartbeat } from "./node-heartbeat.ts";
import { VersionCheck } from "./version-check.ts";

/** Announcements may be lost: so often every stream in memory is looked after, too. */
const lookAllMs = 5_000;
/** Streams whose commit was not answered. Of more than that the others hear when they look, or list the rooms (CL2). */
const doubtfulMax = 10_000;
/** How many of them are asked for per heartbeat. */
const doubtfulAtOnceMax = 1_000;
/** The database may finish a commit after the connection broke: the first answer may come too early. */
const doubtfulAsks = 2;

interface ClusterDeps extends MembershipDeps {
  readonly log: Pick<Log, "heads">;
  readonly sharing: Sharing;
  readonly clock: Clock;
  readonly holds: Holds;
}

/** A node among others on one log: it hears of what they have written, and they of what it has. */
export class ClusterMember implements Membership {
  readonly spansMin = 2;
  readonly readingRestarts = false;
  readonly unsendable = "retry";
  /** The node heartbeat restarts all leases when there was one. */
  readonly interruptedAt = Number.NEGATIVE_INFINITY;
  readonly #parts: ClusterDeps;
  readonly #heartbeat: NodeHeartbeat;
  readonly #versionCheck: VersionCheck;
  /** In these it is not known yet who lapses: other nodes may have heard of somebody. */
  #lapsing = new Set<AnyMailbox>();
  /** In these it is not known yet whether an outage has stopped a clock. */
  #heldBack = new Set<AnyMailbox>();
  /** These may have grown by a commit of this node whose answer was lost, and how often to ask. */
  readonly #doubtful = new Map<StreamName, number>();
  #lookedAt = 0;

  constructor(parts: ClusterDeps) {
    this.#parts = parts;
    const { log, sharing, clock, holds, cache, tend, onForked, onCaretaker, onError } = parts;
    this.#versionCheck = new VersionCheck({ log, onKnown: tend, onForked, onError });
    this.#heartbeat = new NodeHeartbeat({
      ...{ sharing, clock, holds, onCaretaker, onError },
      onHeard: (stream, ticket) => cache.get(stream)?.presence.heard(ticket),
      onGone: () => this.#startAnew(),
      onServerChanged: (since) => this.#checkAll(since),
      onBeat: () => this.#afterBeat(),
      onMissed: (error) => this.#refuseHeldBack(error),
    });
  }

  async start(): Promise<void> {
    await this.#heartbeat.start();
    this.#parts.sharing.listen((grown) => this.#follow(grown));
  }

  stop(): Promise<void> {
    return this.#heartbeat.stop();
  }

  get isCaretaker(): boolean {
    return this.#heartbeat.isCaretaker;
  }

  get sinceBeatMs(): number {
    return this.#heartbeat.sinceMs;
  }

  /**
   * Only what no node could use counts: a state that one of them cannot read would otherwise restart the clocks that run on the
   * others.
   */
  isInterruptedSince({ at }: LastEntry): boolean {
    return at < this.#heartbeat.servedSince;
  }

  watch<T>(call: Promise<T>): Promise<T> {
    return call;
  }

  interrupt(): void {}

  /** An outage that another node's beat has ended already is longer than this node's latest beat is old. */
  get isCurrent(): boolean {
    // The log counts whole milliseconds.
    return this.#heartbeat.sinceMs < sharingLimits.outageMs - 1;
  }

  get heardUpTo(): number {
    return this.#heartbeat.heardUpTo;
  }

  get nodes(): number {
    return this.#heartbeat.nodes;
  }

  hear(stream: StreamName, ticket: number): void {
    this.#heartbeat.hear(stream, ticket);
  }

  newest(): undefined {
    return undefined;
  }

  admit(): void {}

  look(mailbox: AnyMailbox): void {
    this.#versionCheck.want(mailbox);
  }

  /** What others have appended while it was out of memory was published to nobody here. */
  noteLoaded({ stream, version }: AnyMailbox): void {
    this.#parts.onUnpublished(stream, version);
  }

  /** Only when the commit is over is it known that it was decided on the latest state. */
  noteRefused(): void {}

  afterOthers(stream: StreamName, then: () => void): void {
    void this.#parts.bring(stream).then(then);
  }

  awaitBeat(mailbox: AnyMailbox): void {
    this.#lapsing.add(mailbox);
  }

  /** It is woken after the next beat; if that fails or is late, what waits there is refused. */
  holdBack(mailbox: AnyMailbox): void {
    this.#heldBack.add(mailbox);
  }

  #refuseHeldBack(error: unknown): void {
    const heldBack = this.#heldBack;
    this.#heldBack = new Set();
    for (const mailbox of heldBack) mailbox.refuseWaiting(error);
  }

  announce({ stream, entries, hasEffects }: Committed<unknown>): void {
    this.#parts.sharing.announce([{ stream, version: entries[entries.length - 1].version, hasEffects }]);
  }

  resent(from: StreamName): void {
    this.#parts.sharing.announce([{ stream: from, version: 0, hasEffects: true }]);
  }

  /** If it has grown, the others are told of it, as soon as the log answers again. */
  doubt(stream: StreamName): void {
    if (this.#doubtful.size < doubtfulMax) this.#doubtful.set(stream, doubtfulAsks);
  }

  async #tellDoubtful(): Promise<void> {
    if (this.#doubtful.size === 0) return;
    const doubtful = [...this.#doubtful].slice(0, doubtfulAtOnceMax);
    for (const [stream] of doubtful) this.#doubtful.delete(stream);
    const { log, sharing, onError } = this.#parts;
    try {
      const heads = await log.heads(doubtful.map(([stream]) => stream));
      for (const [index, [stream, asksLeft]] of doubtful.entries()) {
        // Not what may have been written but what is there: once told of a version, the others ignore it the next time.
        const version = heads[index]?.version;
        if (version !== undefined) sharing.announce([{ stream, version, hasEffects: true }]);
        if (asksLeft > 1 && !this.#doubtful.has(stream)) this.#doubtful.set(stream, asksLeft - 1);
      }
    } catch (error) {
      onError(error);
      for (const [stream] of doubtful) this.doubt(stream);
    }
  }

  #follow(grown: readonly Grown[] | undefined): void {
    if (!grown) {
      this.#lookAll();
      return;
    }
    const { cache, tend, onGrown, onEffects } = this.#parts;
    for (const { stream, version, hasEffects } of grown) {
      const mailbox = cache.get(stream);
      mailbox?.know(version);
      if (mailbox && mailbox.phase !== "absent") tend(mailbox);
      else onGrown(stream, version);
      if (hasEffects) onEffects();
    }
  }

  /** Whatever may have been missed. */
  #lookAll(): void {
    const { cache, clock, onGrown, onEffects } = this.#parts;
    this.#lookedAt = clock.elapsed();
    for (const mailbox of cache.all()) if (mailbox.phase !== "absent") this.#versionCheck.want(mailbox);
    onGrown();
    onEffects();
  }

  /** Signs of life may be lost with the node that had them, and so may what it was about to announce. */
  #startAnew(): void {
    for (const mailbox of this.#parts.cache.all()) mailbox.presence.begin();
    this.#lookAll();
  }

  /** Those in which nobody asks for anything are looked after too: their watchers have been shown what may be lost. */
  #checkAll(since: number): void {
    this.#lookAll();
    this.#parts.onServerChanged(since);
  }

  #afterBeat(): void {
    void this.#tellDoubtful();
    // Where each beat takes so long, they would wait for ever.
    if (!this.isCurrent) this.#refuseHeldBack(new LogUnavailable("The log takes too long to answer."));
    const waiting = [...this.#lapsing, ...this.#heldBack];
    this.#lapsing = new Set();
    this.#heldBack = new Set();
    const { cache, wake } = this.#parts;
    for (const mailbox of waiting) if (cache.get(mailbox.stream) === mailbox) wake(mailbox);
    if (this.#parts.clock.elapsed() - this.#lookedAt >= lookAllMs) this.#lookAll();
  }
}
