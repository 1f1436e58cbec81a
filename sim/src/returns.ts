import type { Heartbeats } from "./heartbeats.ts";
import { must } from "./rule.ts";
import type { World } from "./world.ts";

/** What is certain about timing now. */
interface ReturnTiming {
  /** Since then no fault has prevented heartbeats or writes. */
  readonly steadyAtMs: number;
  /** The longest time until the leader knows of a heartbeat and its effect is written. */
  readonly promptMs: number;
}

/** LN11: a heartbeat brings a place back at once, and nothing else does. */
export class Returns {
  readonly #world: World;
  readonly #heartbeats: Heartbeats;
  /** When a place was decided to be away. */
  readonly #awayMs = new Map<string, number>();
  /** The first heartbeat of each place that is away. */
  readonly #heartbeatMs = new Map<string, number>();

  constructor(world: World, heartbeats: Heartbeats) {
    this.#world = world;
    this.#heartbeats = heartbeats;
  }

  wentAway(place: string): void {
    this.#awayMs.set(place, this.#world.elapsedMs);
  }

  /** The place was decided to be back. */
  cameBack(place: string, { steadyAtMs, promptMs }: ReturnTiming): void {
    const awayMs = this.#awayMs.get(place) ?? 0;
    // A node that was cut off may only now report an old heartbeat.
    if (awayMs < steadyAtMs || this.#heartbeats.isHeld(place)) return;
    const wasHeartbeatReceived = this.#heartbeats.lastMs(place) > awayMs - promptMs;
    must(wasHeartbeatReceived, "LN11", `${place} is back without a heartbeat since ${awayMs} ms`);
  }

  /** A place that is away receives a heartbeat. */
  note(place: string, { steadyAtMs }: ReturnTiming): void {
    // A heartbeat during a fault may be lost. Then the next one counts.
    if ((this.#heartbeatMs.get(place) ?? 0) <= steadyAtMs)
      this.#heartbeatMs.set(place, this.#world.elapsedMs);
  }

  /** The place is no longer away. */
  forget(place: string): void {
    this.#heartbeatMs.delete(place);
  }

  /** The place is away, or was until now. `windowMs` is the time in which a live connection must be noticed. */
  checkInTime(place: string, windowMs: number, { steadyAtMs, promptMs }: ReturnTiming): void {
    const { elapsedMs } = this.#world;
    const heartbeatMs = this.#heartbeatMs.get(place) ?? 0;
    if (heartbeatMs > steadyAtMs) {
      const lateMs = elapsedMs - heartbeatMs - promptMs;
      must(
        lateMs <= 0,
        "LN11",
        `${place} is still away ${lateMs} ms after its heartbeat should have taken effect`,
      );
    }
    if (!this.#heartbeats.isHeld(place)) return;
    const since = Math.max(steadyAtMs, this.#heartbeats.lastMs(place), this.#awayMs.get(place) ?? 0);
    const lateMs = elapsedMs - since - windowMs - promptMs;
    must(lateMs <= 0, "LN11", `${place} has a live connection but has been away ${lateMs} ms too long`);
  }
}
