import type { Heard } from "./heard.ts";
import { must } from "./rule.ts";
import type { World } from "./world.ts";

/** What is certain about time just now. */
interface Course {
  /** Since then nothing has kept the server from hearing and writing. */
  readonly steadyAtMs: number;
  /** How long it may take until a sign of life is known where it counts, and written. */
  readonly promptMs: number;
}

/** LN11: who is away comes back by a sign of life, at once, and by nothing else. */
export class Returns {
  readonly #world: World;
  readonly #heard: Heard;
  /** When it was decided that a place is away. */
  readonly #awayMs = new Map<string, number>();
  /** When the first sign of life came of a place that is away. */
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
    // What was heard where nobody could be told of it may be known only now.
    if (awayMs < steadyAtMs || this.#heard.isHeld(place)) return;
    const isHeard = this.#heard.lastMs(place) > awayMs - promptMs;
    must(isHeard, "LN11", `${place} is back, and nothing was heard of it since ${awayMs} ms`);
  }

  /** There is a sign of life of a place that is away. */
  note(place: string, { steadyAtMs }: Course): void {
    // One that came while something went wrong may be lost: then it is the next that counts.
    if ((this.#heardMs.get(place) ?? 0) <= steadyAtMs) this.#heardMs.set(place, this.#world.elapsedMs);
  }

  /** The place is not away any more. */
  forget(place: string): void {
    this.#heardMs.delete(place);
  }

  /** The place is away still, or was until now. `windowMs` is how long it may last until a connection is noticed. */
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
