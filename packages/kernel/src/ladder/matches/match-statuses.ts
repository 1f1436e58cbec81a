import { grown } from "../../collections/columns.ts";
import { assert } from "../../values.ts";
import type { MatchNumber } from "../state.ts";

/** Snapshots store the index in this list, so add new statuses at the end. */
const statuses = ["pending", "counted", "voided", "declined", "lapsed"] as const;
export type MatchStatus = (typeof statuses)[number];

/**
 * One byte for each match ever reported, so the status of old matches is known when everything else is only in rows.
 */
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

  /** Sets the status of a new or known match. */
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
