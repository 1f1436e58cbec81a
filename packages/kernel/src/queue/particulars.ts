import { grown, picked } from "../collections/columns.ts";
import type { Column } from "../decider.ts";
import type { Roster } from "../room/roster.ts";
import type { Millis, TicketNumber } from "../values.ts";
import type { EndReason } from "./events.ts";
import type { EstimateSeconds } from "./pace/estimate.ts";

/** In place of an estimate that there was none of. */
const NONE = 0xffffffff;

/** Their order is kept in snapshots: new ones come at the end. */
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
  /** The version of the entry that holds what else is known of the arrival. */
  readonly entry: number;
}

/** What a place in a waiting room has besides what every place has; in columns by the rows of the roster. */
export class Particulars {
  readonly #roster: Roster;
  #rows = 0;
  // Only ever appended to.
  #lane = new Uint8Array(16);
  #position = new Uint32Array(16);
  #low = new Uint32Array(16);
  #high = new Uint32Array(16);
  #entry = new Float64Array(16); // a room lives through more entries than four bytes can count
  /** Until when an admission may be claimed, or a session lasts; why, below zero, once the place is over. */
  #until = new Float64Array(16);

  constructor(roster: Roster) {
    this.#roster = roster;
  }

  /** Of the newest ticket. */
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

  /** All of `arrived` but the estimate, which lies elsewhere in memory and is asked for with admissions only. */
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

  /** RM5. What is over has no time left, so that is where it is noted. */
  setEndReason(ticket: TicketNumber, reason: EndReason): void {
    this.#until[this.#row(ticket)] = -1 - endReasons.indexOf(reason);
  }

  /** Of a place that is over. */
  endReasonOf(ticket: TicketNumber): EndReason {
    return endReasons[-1 - this.#until[this.#row(ticket)]];
  }

  /** Keeps these rows: the roster has forgotten the others. */
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
