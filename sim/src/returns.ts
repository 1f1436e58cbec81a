import type { Heard } from "./heard.ts";
import { must } from "./rule.ts";
import type { World } from "./world.ts";

/** What is certain about timing now. */
interface Course {
  /** Since then no fault has prevented heartbeats or writes. */
  readonly steadyAtMs: number;
  /** The longest time until the leader knows of a heartbeat and its effect is written. */
  readonly promptMs: number;
}

/** LN11: a heartbeat brings a place back at once, and nothing else does. */
export class Returns {
  readonly #world: World;
  readonly #heard: Heard;
  /** When a place was decided to be away. */
  readonly #awayMs = new Map<string, number>();
  /** The first heartbeat of each place that is away. */
  readonly #heardMs = new Map<string, number>();

  constructor(world: World, heard: Heard) {
    this.#world = world;
    this.#heard = heard;
  }

  wentAway(place: string): void {
    this.#awayMs.set(place, this.#world.elapsedMs);
  }

  /** The place was decided to be back. */
  cameBack(place: string, { steadyAtMs, promptMs }: Course): void {
    const awayMs = this.#awayMs.get(place) ?? 0;
    // A node that was cut off may only now report an old heartbeat.
    if (awayMs < steadyAtMs || this.#heard.isHeld(place)) return;
    const isHeard = this.#heard.lastMs(place) > awayMs - promptMs;
    must(isHeard, "LN11", `${place} is back, and nothing was heard of it since ${awayMs} ms`);
  }

  /** A place that is away receives a heartbeat. */
  note(place: string, { steadyAtMs }: Course): void {
    // A heartbeat during a fault may be lost. Then the next one counts.
    if ((this.#heardMs.get(place) ?? 0) <= steadyAtMs) this.#heardMs.set(place, this.#world.elapsedMs);
  }

  /** The place is no longer away. */
  forget(place: string): void {
    this.#heardMs.delete(place);
  }

  /** The place is away, or was until now. `windowMs` is the time in which a live connection must be noticed. */
  checkInTime(place: string, windowMs: number, { steadyAtMs, promptMs }: Course): void {
    const { elapsedMs } = this.#world;
    const heardMs = this.#heardMs.get(place) ?? 0;
    if (heardMs > steadyAtMs) {
      const lateMs = elapsedMs - heardMs - promptMs;
      must(lateMs <= 0, "LN11", `${place} is still away, ${lateMs} ms longer than a heartbeat takes`);
    }
    if (!this.#heard.isHeld(place)) return;
    const since = Math.max(steadyAtMs, this.#heard.lastMs(place), this.#awayMs.get(place) ?? 0);
    const lateMs = elapsedMs - since - windowMs - promptMs;
    must(lateMs <= 0, "LN11", `${place} has a live connection, and has been away ${lateMs} ms too long`);
  }
}
