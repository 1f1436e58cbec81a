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
  /** When it last knew all of a stream. */
  readonly #knownAtMs = new Map<StreamName, number>();

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
    if (life && this.#roll.isCaretaker(life)) this.#knownAtMs.set(stream, this.#world.elapsedMs);
  }

  /** A node hears that streams have grown. */
  arrived(life: Life, grown: readonly Grown[]): void {
    if (!this.#roll.isCaretaker(life)) return;
    for (const { stream, version } of grown)
      if (version >= this.#ledger.history(stream).version) this.#knownAtMs.set(stream, this.#world.elapsedMs);
  }

  /** Whether it knows what was written then. */
  isKnown(stream: StreamName, writtenAtMs: number): boolean {
    return (this.#knownAtMs.get(stream) ?? Number.NEGATIVE_INFINITY) >= writtenAtMs;
  }
}
