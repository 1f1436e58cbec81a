import type { Millis } from "@openseat/kernel";
import { aheadMsMax, type Timer } from "../../clock.ts";
import type { StreamName } from "../../log/log.ts";
import { type ClusterState, type RemoteHeartbeats, type Sharing, sharingLimits } from "../../log/sharing.ts";
import type { HostContext } from "../host-context.ts";
import type { Holds } from "../presence/holds.ts";
import { PresenceBitmap } from "../presence/presence-bitmap.ts";

export interface NodeHeartbeatDeps extends Omit<HostContext, "membership"> {
  readonly sharing: Sharing;
  readonly holds: Holds;
  readonly onLeader: (isLeader: boolean) => void;
  /** A node has left: heartbeats that it received may be lost, and so may its announcements. */
  readonly onGone: () => void;
  /** CL6: the database server restarted, so the log may have gone back since this moment (`clock.elapsed`). */
  readonly onServerChanged: (since: number) => void;
  readonly onHeartbeat: () => void;
  readonly onMissed: (error: unknown) => void;
}

/**
 * The regular exchange with the other nodes: which nodes are alive, which places sent heartbeats, and which node is the leader.
 */
export class NodeHeartbeat {
  readonly #deps: NodeHeartbeatDeps;
  #received = new Map<StreamName, PresenceBitmap>();
  #latest: ClusterState | undefined;
  /** When the latest successful heartbeat was sent (`clock.elapsed`). The time until its answer counts as silence. */
  #sentAt = Number.NEGATIVE_INFINITY;
  servedSince = 0 as Millis;
  #wasLeader = false;
  /** The answer to a heartbeat was lost, and with it place heartbeats that other nodes received. */
  #hasMissed = false;
  #timer: Timer | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: NodeHeartbeatDeps) {
    this.#deps = deps;
  }

  /** Resolves with the first heartbeat, which says how long the service was down. Rejects if it fails. */
  async start(): Promise<void> {
    const { sharing, clock } = this.#deps;
    const sentAt = clock.elapsed();
    this.#follow(await sharing.heartbeat([]), sentAt);
    this.#goOn();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#underWay;
    try {
      if (this.#latest) await this.#deps.sharing.heartbeat(this.#takeReceived());
      await this.#deps.sharing.leave();
    } catch (error) {
      // The other nodes will notice after a timeout.
      this.#deps.onError(error);
    }
  }

  /** False after the process was suspended: it must not act as the leader before its next heartbeat. */
  get isLeader(): boolean {
    const isInTime = this.sinceMs < sharingLimits.leaderMs;
    return this.#latest?.isLeader === true && isInTime && !this.#isStopped;
  }

  get sinceMs(): number {
    return this.#deps.clock.elapsed() - this.#sentAt;
  }

  get nodes(): number {
    return (this.#latest?.others.size ?? 0) + 1;
  }

  /** All heartbeats that the other nodes received until this time (`clock.elapsed`) are known here. */
  get heartbeatsKnownUntil(): number {
    if (!this.#latest) return Number.NEGATIVE_INFINITY;
    const { at, others } = this.#latest;
    let oldest = at;
    for (const reportedUntil of others.values()) if (reportedUntil < oldest) oldest = reportedUntil;
    return this.#sentAt - (at - oldest);
  }

  noteHeartbeat(stream: StreamName, ticket: number): void {
    let pages = this.#received.get(stream);
    if (!pages) {
      pages = new PresenceBitmap();
      this.#received.set(stream, pages);
    }
    pages.add(ticket);
  }

  #goOn(): void {
    if (this.#isStopped) return;
    this.#timer = this.#deps.clock.after(sharingLimits.heartbeatMs, () => {
      this.#underWay = this.#send().then(() => this.#goOn());
    });
  }

  async #send(): Promise<void> {
    const { sharing, clock, onError, onHeartbeat, onMissed } = this.#deps;
    const sent = this.#received;
    const sentAt = clock.elapsed();
    try {
      this.#follow(await sharing.heartbeat(this.#takeReceived()), sentAt);
      onHeartbeat();
    } catch (error) {
      this.#putBack(sent);
      this.#hasMissed = true;
      // While this leader cannot reach the log, another node may have taken over.
      this.#noteLeader();
      onMissed(error);
      onError(error);
    }
  }

  #follow(state: ClusterState, sentAt: number): void {
    const { clock, cache, onGone } = this.#deps;
    const before = this.#latest;
    const beforeAt = this.#sentAt;
    // The process was suspended for longer than the leader's lease, so place heartbeats were lost. It has to start fresh windows,
    // even if this heartbeat makes it the leader again.
    const hasLapsed = this.#wasLeader && !this.isLeader;
    this.#noteLeader();
    this.#latest = state;
    this.#sentAt = sentAt;
    clock.follow?.(state.at);
    this.#noteService(state, before);
    const isOneGone = [...(before?.others.keys() ?? [])].some((name) => !state.others.has(name));
    const wasAway = before !== undefined && before.servedSince !== state.servedSince;
    const hasMissed = this.#hasMissed;
    this.#hasMissed = false;
    this.#noteLeader();
    for (const { stream, pages } of state.heartbeats)
      for (const ticket of PresenceBitmap.tickets(pages)) cache.get(stream)?.presence.noteHeartbeat(ticket);
    if (isOneGone || wasAway || hasMissed || hasLapsed) onGone();
    if (before && before.server !== state.server) this.#deps.onServerChanged(beforeAt);
  }

  /**
   * The log dates outages by its own clock, but entries carry the server's time, which may be ahead (CK1). Without this
   * correction all entries would seem newer than the outage, and no clock would restart.
   */
  #noteService({ at, servedSince }: ClusterState, before: ClusterState | undefined): void {
    const { clock } = this.#deps;
    const now = clock.now();
    // Compare with the time at which the heartbeat was sent: a slow answer must not look like a clock that is ahead.
    const aheadMs = now - this.sinceMs - at;
    // If it is further ahead, time is about to go back (CK2).
    const isAhead = aheadMs >= sharingLimits.outageMs && aheadMs <= aheadMsMax;
    if (servedSince !== before?.servedSince)
      this.servedSince = (servedSince + (isAhead ? aheadMs : 0)) as Millis;
    // Time went back. Without this, every entry would seem older than the outage.
    else if (this.servedSince > now) this.servedSince = servedSince;
  }

  #noteLeader(): void {
    const isLeader = this.isLeader;
    if (isLeader === this.#wasLeader) return;
    this.#wasLeader = isLeader;
    this.#deps.onLeader(isLeader);
  }

  #takeReceived(): RemoteHeartbeats[] {
    // The leader updates its own mailboxes directly, and the next leader starts with fresh windows.
    if (this.isLeader) this.#received = new Map();
    else for (const [stream, ticket] of this.#deps.holds.all()) this.noteHeartbeat(stream, ticket);
    const received = this.#received;
    this.#received = new Map();
    return Array.from(received, ([stream, pages]) => ({ stream, pages: pages.pack() }));
  }

  #putBack(received: ReadonlyMap<StreamName, PresenceBitmap>): void {
    for (const [stream, pages] of received)
      for (const ticket of PresenceBitmap.tickets(pages.pack())) this.noteHeartbeat(stream, ticket);
  }
}
