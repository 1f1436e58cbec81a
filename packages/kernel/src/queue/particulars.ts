import { grown, picked } from "../collections/columns.ts";
import type { Column } from "../decider.ts";
import type { Roster } from "../room/roster.ts";
import type { Millis, TicketNumber } from "../values.ts";
import type { EndReason } from "./events.ts";
import type { EstimateSeconds } from "./pace/estimate.ts";

/** Stored instead of an estimate when there was none. */
const NONE = 0xffffffff;

/** Snapshots store the index in this list, so add new reasons at the end. */
const endReasons: readonly EndReason[] = [
  "cancelled",
  "left",
  "completed",
  "heartbeat_timeout",
  "claim_timeout",
  "session_timeout",
  "terminated",
];

export interface Arrived {
  readonly lane: number;
  readonly position: number;
  readonly estimate: EstimateSeconds | null;
  /** The version of the entry with everything else about the arrival. */
  readonly entry: number;
}

/** What places in a waiting room have in addition to the roster's fields, in columns by roster row. */
export class Particulars {
  readonly #roster: Roster;
  #rows = 0;
  // Append-only columns.
  #lane = new Uint8Array(16);
  #position = new Uint32Array(16);
  #low = new Uint32Array(16);
  #high = new Uint32Array(16);
  #entry = new Float64Array(16); // a room can have more entries than four bytes can count
  /** When an admission or a session ends. Below zero once the place is over: then it is the end reason. */
  #until = new Float64Array(16);

  constructor(roster: Roster) {
    this.#roster = roster;
  }

  /** The newest ticket. */
  add({ lane, position, estimate, entry }: Arrived): void {
    const row = this.#rows++;
    this.#lane = grown(this.#lane, this.#rows);
    this.#position = grown(this.#position, this.#rows);
    this.#low = grown(this.#low, this.#rows);
    this.#high = grown(this.#high, this.#rows);
    this.#entry = grown(this.#entry, this.#rows);
    this.#until = grown(this.#until, this.#rows);
    this.#lane[row] = lane;
    this.#position[row] = position;
    this.#low[row] = estimate?.low ?? NONE;
    this.#high[row] = estimate?.high ?? NONE;
    this.#entry[row] = entry;
    this.#until[row] = 0;
  }

  laneOf(ticket: TicketNumber): number {
    return this.#lane[this.#row(ticket)];
  }

  /** `arrived` without the estimate, which is in another column and needed only for admissions. */
  origin(ticket: TicketNumber): Omit<Arrived, "estimate"> {
    const row = this.#row(ticket);
    return { lane: this.#lane[row], position: this.#position[row], entry: this.#entry[row] };
  }

  arrived(ticket: TicketNumber): Arrived {
    const row = this.#row(ticket);
    const [low, high] = [this.#low[row], this.#high[row]];
    return {
      lane: this.#lane[row],
      position: this.#position[row],
      estimate: low === NONE ? null : { low, high },
      entry: this.#entry[row],
    };
  }

  until(ticket: TicketNumber): Millis {
    return this.#until[this.#row(ticket)] as Millis;
  }

  setUntil(ticket: TicketNumber, until: Millis): void {
    this.#until[this.#row(ticket)] = until;
  }

  /** RM5. A place that is over has no end time, so its column stores the end reason. */
  setEndReason(ticket: TicketNumber, reason: EndReason): void {
    this.#until[this.#row(ticket)] = -1 - endReasons.indexOf(reason);
  }

  /** The end reason of a place that is over. */
  endReasonOf(ticket: TicketNumber): EndReason {
    return endReasons[-1 - this.#until[this.#row(ticket)]];
  }

  /** Keeps only these rows, after the roster has forgotten the others. */
  keep(rows: Uint32Array): void {
    this.#lane = picked(this.#lane, rows);
    this.#position = picked(this.#position, rows);
    this.#low = picked(this.#low, rows);
    this.#high = picked(this.#high, rows);
    this.#entry = picked(this.#entry, rows);
    this.#until = picked(this.#until, rows);
    this.#rows = rows.length;
  }

  save(): Record<string, Column> {
    return {
      lane: this.#lane.subarray(0, this.#rows),
      position: this.#position.subarray(0, this.#rows),
      low: this.#low.subarray(0, this.#rows),
      high: this.#high.subarray(0, this.#rows),
      entry: this.#entry.subarray(0, this.#rows),
      until: this.#until.slice(0, this.#rows),
    };
  }

  static restore(columns: Readonly<Record<string, Column>>, roster: Roster): Particulars {
    const particulars = new Particulars(roster);
    particulars.#rows = columns.lane.length;
    particulars.#lane = new Uint8Array(columns.lane);
    particulars.#position = new Uint32Array(columns.position);
    particulars.#low = new Uint32Array(columns.low);
    particulars.#high = new Uint32Array(columns.high);
    particulars.#entry = new Float64Array(columns.entry);
    particulars.#until = new Float64Array(columns.until);
    return particulars;
  }

  #row(ticket: TicketNumber): number {
    return this.#roster.rowOf(ticket);
  }
}
