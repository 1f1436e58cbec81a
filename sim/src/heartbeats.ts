import type { Membership } from "./cluster/membership.ts";
import { must } from "./rule.ts";
import type { Life, World } from "./world.ts";

/** A place about to end by silence, and the run that ends it. */
interface Lapse {
  readonly life: Life;
  readonly rule: string;
  readonly windowMs: number;
}

/** The last heartbeat of each place, as the world knows it. */
export interface Heartbeats {
  /** A recent heartbeat at this time. */
  note(place: string, life: Life, atMs: number): void;
  /** A new place: joining counts as a heartbeat. */
  begin(place: string, life: Life): void;
  hold(place: string, life: Life): void;
  release(place: string, life: Life): void;
  /** All connections to this process are closed. */
  end(life: Life): void;
  clear(): void;
  /** Whether there is a live connection. With `life`, only one that the leader must know of counts. */
  isHeld(place: string, life?: Life): boolean;
  lastMs(place: string): number;
  /** Throws if the silence was shorter than its window. */
  checkSilent(place: string, lapse: Lapse): void;
}

/** A standalone process receives every heartbeat itself. */
export class StandaloneHeartbeats implements Heartbeats {
  readonly #world: World;
  readonly #lastAtMs = new Map<string, number>();
  readonly #held = new Map<string, number>();
  #clearedAtMs = 0;

  constructor(world: World) {
    this.#world = world;
  }

  note(place: string, _life: Life, atMs: number): void {
    this.#lastAtMs.set(place, Math.max(atMs, this.lastMs(place)));
  }

  begin(place: string): void {
    this.#lastAtMs.set(place, this.#world.elapsedMs);
  }

  hold(place: string): void {
    this.#held.set(place, (this.#held.get(place) ?? 0) + 1);
  }

  release(place: string): void {
    this.#held.set(place, (this.#held.get(place) ?? 0) - 1);
    this.begin(place);
  }

  end(): void {}

  clear(): void {
    this.#lastAtMs.clear();
    this.#held.clear();
    this.#clearedAtMs = this.#world.elapsedMs;
  }

  isHeld(place: string): boolean {
    return (this.#held.get(place) ?? 0) > 0;
  }

  lastMs(place: string): number {
    return this.#lastAtMs.get(place) ?? 0;
  }

  checkSilent(place: string, { rule, windowMs }: Lapse): void {
    must(!this.isHeld(place), rule, `${place} expired despite a live connection`);
    const silentMs = this.#world.elapsedMs - (this.#lastAtMs.get(place) ?? this.#clearedAtMs);
    must(
      silentMs >= windowMs,
      rule,
      `${place} expired after ${silentMs} ms of silence, with a window of ${windowMs} ms`,
    );
  }
}

/** A heartbeat, and the run that received it. */
interface Heartbeat {
  readonly atMs: number;
  readonly life: Life;
}

/** A live connection, and since when the leader must know of it. */
interface Hold {
  readonly life: Life;
  sinceMs: number;
}

/**
 * After a window has ended, the leader waits at most this long for the other nodes' presence data. What they
 * receive in the meantime may reach it too late.
 */
const slackMs = 3_500;
const heartbeatsKept = 60;

/**
 * Several nodes receive heartbeats, and the leader expires silent places. A heartbeat to any node counts. If the
 * others think that the node is gone, its heartbeats count once it is back.
 */
export class ClusterHeartbeats implements Heartbeats {
  readonly #world: World;
  readonly #membership: Membership;
  readonly #received = new Map<string, Heartbeat[]>();
  readonly #lastMs = new Map<string, number>();
  readonly #holds = new Map<string, Hold[]>();
  /** Heartbeats that a node could not report to the leader, and when it received them. */
  readonly #unreported = new Map<Life, Map<string, number>>();

  constructor(world: World, membership: Membership) {
    this.#world = world;
    this.#membership = membership;
    membership.onCounted = (life) => this.#report(life);
  }

  note(place: string, life: Life, atMs: number): void {
    this.#lastMs.set(place, this.#world.elapsedMs);
    if (this.#membership.isCounted(life)) this.#record(place, life, atMs);
    else this.#unreported.set(life, (this.#unreported.get(life) ?? new Map()).set(place, atMs));
  }

  begin(place: string, life: Life): void {
    this.#lastMs.set(place, this.#world.elapsedMs);
    this.#received.delete(place);
    this.#record(place, life);
  }

  #record(place: string, life: Life, atMs = this.#world.elapsedMs): void {
    const heartbeats = [...(this.#received.get(place) ?? []), { atMs, life }];
    heartbeats.sort((a, b) => a.atMs - b.atMs);
    this.#received.set(place, heartbeats.slice(-heartbeatsKept));
  }

  hold(place: string, life: Life): void {
    const holds = this.#holds.get(place) ?? [];
    this.#holds.set(place, [...holds, { life, sinceMs: this.#world.elapsedMs }]);
  }

  release(place: string, life: Life): void {
    const holds = this.#holds.get(place) ?? [];
    const index = holds.findIndex((hold) => hold.life === life);
    if (index < 0) return;
    holds.splice(index, 1);
    this.note(place, life, this.#world.elapsedMs);
  }

  end(life: Life): void {
    this.#unreported.delete(life);
    for (const [place, holds] of this.#holds) {
      const kept = holds.filter((hold) => hold.life !== life);
      if (kept.length === holds.length) continue;
      this.#holds.set(place, kept);
      this.#lastMs.set(place, this.#world.elapsedMs);
      if (this.#membership.isCounted(life)) this.#record(place, life);
    }
  }

  clear(): void {}

  /** The leader knows the node again, and therefore its heartbeats. */
  #report(life: Life): void {
    for (const [place, atMs] of this.#unreported.get(life) ?? []) this.#record(place, life, atMs);
    this.#unreported.delete(life);
    for (const [place, holds] of this.#holds)
      for (const hold of holds.filter((each) => each.life === life)) {
        hold.sinceMs = this.#world.elapsedMs;
        this.#record(place, life);
      }
  }

  isHeld(place: string, life?: Life): boolean {
    const holds = this.#holds.get(place) ?? [];
    if (!life) return holds.length > 0;
    return holds.some((hold) => hold.life === life && this.#hasToBeKnown(hold));
  }

  #hasToBeKnown({ life, sinceMs }: Hold): boolean {
    return this.#membership.isCounted(life) && this.#world.elapsedMs - sinceMs > slackMs;
  }

  lastMs(place: string): number {
    return this.#lastMs.get(place) ?? 0;
  }

  checkSilent(place: string, { life, rule, windowMs }: Lapse): void {
    const { elapsedMs } = this.#world;
    const holds = this.#holds.get(place) ?? [];
    const isHeld = holds.some((hold) => hold.life === life || this.#hasToBeKnown(hold));
    must(!isHeld, rule, `${place} expired despite a live connection`);
    const heartbeats = this.#received.get(place) ?? [];
    const own = heartbeats.findLast((heartbeat) => heartbeat.life === life);
    const silentMs = elapsedMs - (own?.atMs ?? 0);
    const words = (ms: number) =>
      `${place} expired after ${ms} ms of silence, with a window of ${windowMs} ms`;
    must(silentMs >= windowMs, rule, words(silentMs));
    // A silence that just ended on another node is still a silence, but the node must know about it.
    const ends = [...heartbeats.slice(1).map(({ atMs }) => atMs), elapsedMs];
    const knownMs = this.#membership.knownUpToMs(life);
    const silences = heartbeats.map(({ atMs }, index) => {
      const endMs = ends[index];
      return { ms: Math.min(endMs, knownMs) - atMs, endMs };
    });
    const recent = silences.filter(({ endMs }) => endMs > elapsedMs - slackMs);
    const longestMs = Math.max(...recent.map(({ ms }) => ms));
    must(longestMs >= windowMs, rule, words(longestMs));
  }
}
