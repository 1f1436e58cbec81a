import { grown } from "../../collections/columns.ts";
import { assert } from "../../values.ts";
import type { MatchNumber } from "../state.ts";

/** Their order is kept in snapshots: new ones come at the end. */
const statuses = ["pending", "counted", "voided", "declined", "lapsed"] as const;
export type MatchStatus = (typeof statuses)[number];

/** A byte for each match that was ever reported: so each has its own answer, also when all else of it is in rows only. */
export class MatchStatuses {
  #bytes = new Uint8Array(16);
  #size = 0;

  constructor(saved?: Uint8Array) {
    if (!saved) return;
    this.#bytes = saved.slice();
    this.#size = saved.length;
  }

  get size(): number {
    return this.#size;
  }

  /** Of a match that is new, or of one that is there. */
  set(match: MatchNumber, status: MatchStatus): void {
    assert(match >= 1 && match <= this.#size + 1, "a match out of order");
    if (match > this.#size) this.#bytes = grown(this.#bytes, ++this.#size);
    this.#bytes[match - 1] = statuses.indexOf(status);
  }

  get(match: MatchNumber): MatchStatus | undefined {
    return match >= 1 && match <= this.#size ? statuses[this.#bytes[match - 1]] : undefined;
  }

  save(): Uint8Array {
    return this.#bytes.slice(0, this.#size);
  }
}
