import type { Heard } from "./heard.ts";
import { must } from "./rule.ts";
import type { World } from "./world.ts";

/** What is certain about time just now. */
interface Course {
  /** Since then nothing has kept the server from hearing and writing. */
  readonly steadyAtMs: number;
  /** How long it may take until the leader knows of a heartbeat, and what follows is written. */
  readonly promptMs: number;
}

/** LN11: a heartbeat brings a place back at once, and nothing else does. */
export class Returns {
  readonly #world: World;
  readonly #heard: Heard;
  /** When it was decided that a place is away. */
  readonly #awayMs = new Map<string, number>();
  /** When the first heartbeat came of a place that is away. */
  readonly #heardMs = new Map<string, number>();

  constructor(world: World, heard: Heard) {
    this.#world = world;
    this.#heard = heard;
  }

  wentAway(place: string): void {
    this.#awayMs.set(place, this.#world.elapsedMs);
  }

  /** It is decided that this place is back. */
  cameBack(place: string, { steadyAtMs, promptMs }: Course): void {
    const awayMs = this.#awayMs.get(place) ?? 0;
    // A node that was cut off may tell only now what it heard long ago.
    if (awayMs < steadyAtMs || this.#heard.isHeld(place)) return;
    const isHeard = this.#heard.lastMs(place) > awayMs - promptMs;
    must(isHeard, "LN11", `${place} is back, and nothing was heard of it since ${awayMs} ms`);
  }

  /** A heartbeat of a place that is away. */
  note(place: string, { steadyAtMs }: Course): void {
    // A heartbeat that came while something went wrong may be lost. Then the next one counts.
    if ((this.#heardMs.get(place) ?? 0) <= steadyAtMs) this.#heardMs.set(place, this.#world.elapsedMs);
  }

  /** The place is not away any more. */
  forget(place: string): void {
    this.#heardMs.delete(place);
  }

  /** The place is still away, or was until now. `windowMs` is how long it may take to notice a live connection. */
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
