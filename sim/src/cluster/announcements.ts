import type { Grown, StreamName } from "@openseat/server";
import type { Ledger } from "../ledger.ts";
import type { Life, World } from "../world.ts";
import type { Roll } from "./roll.ts";

/** What the caretaker knows of the entries of all nodes: it has decided them itself, or their announcement has reached it. */
export class Announcements {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #roll: Roll;
  readonly #decidedBy = new Map<StreamName, Life>();
  /** The times at which it knew all of a stream. */
  readonly #knownAtMs = new Map<StreamName, number[]>();

  constructor(world: World, ledger: Ledger, roll: Roll) {
    this.#world = world;
    this.#ledger = ledger;
    this.#roll = roll;
  }

  decided(life: Life, stream: StreamName): void {
    this.#decidedBy.set(stream, life);
  }

  /** What was decided there last is durable. */
  written(stream: StreamName): void {
    const life = this.#decidedBy.get(stream);
    if (life && this.#roll.isCaretaker(life)) this.#know(stream);
  }

  /** A node hears that streams have grown. */
  arrived(life: Life, grown: readonly Grown[]): void {
    if (!this.#roll.isCaretaker(life)) return;
    for (const { stream, version } of grown)
      if (version >= this.#ledger.history(stream).version) this.#know(stream);
  }

  #know(stream: StreamName): void {
    const times = this.#knownAtMs.get(stream) ?? [];
    times.push(this.#world.elapsedMs);
    this.#knownAtMs.set(stream, times);
  }

  /** When it first knew what was written at this time; infinite if it was not told yet. */
  knownAtMs(stream: StreamName, writtenAtMs: number): number {
    return this.#knownAtMs.get(stream)?.find((atMs) => atMs >= writtenAtMs) ?? Number.POSITIVE_INFINITY;
  }
}
