import { Agenda } from "../collections/agenda.ts";
import type { Lane } from "../line/lanes.ts";
import { Line } from "../line/line.ts";
import { Precedence } from "../line/precedence.ts";
import { Roster } from "../room/roster.ts";
import type { Millis, TicketNumber } from "../values.ts";
import { Addresses } from "./addresses.ts";
import { Bucket } from "./pace/bucket.ts";
import { Pace } from "./pace/pace.ts";
import { Waits } from "./pace/waits.ts";
import { Particulars } from "./particulars.ts";

/** What an operator may change while the queue runs (AD5). */
export interface QueueSettings {
  readonly title: string;
  /** People inside at once: admitted and active. */
  readonly seats: number;
  /** Admissions a second, of at most three decimals; null for as many as there are seats. */
  readonly ratePerSecond: number | null;
  readonly burst: number;
  /** LN8: waiting places at most. */
  readonly lineLengthMax: number;
  /** LN4: nobody who has waited longer is overtaken. */
  readonly patienceMs: number;
  /** LS1: a waiting place not heard of for so long expires. */
  readonly heartbeatTimeoutMs: number;
  /** AD6: an admission not claimed for so long expires. */
  readonly claimTimeoutMs: number;
  /** AD8: a session ends after so long. */
  readonly sessionDurationMs: number;
  /** LS2: a session not heard of for so long expires; null for never. */
  readonly sessionTimeoutMs: number | null;
  /** Where people may be sent when it is their turn; the first is where they are sent unless they say otherwise. */
  readonly returnAddresses: readonly string[];
  /** LM3: new places of one address per minute, counted where requests come in. Without it, as the server has it. */
  readonly entersPerAddressMax?: number | null;
}

/** What never changes after the queue was made. */
export interface QueueTerms {
  readonly lanes: readonly Lane[];
  /** LN10: live places of one address at most; null for any number. */
  readonly placesPerAddressMax: number | null;
  readonly creator: string;
  readonly createdAt: Millis;
}

/** The counts after an event, so that answers and live messages need nothing but the entry. `evolve` checks them. */
export interface QueueCounts {
  readonly waiting: number;
  readonly admitted: number;
  readonly active: number;
  /** Everyone who was ever admitted: how far the line has moved. */
  readonly moved: number;
}

/** A waiting room: a long line, seats that are claimed, a rate, and leases. */
export interface QueueRoom {
  readonly terms: QueueTerms;
  settings: QueueSettings;
  paused: boolean;
  readonly roster: Roster;
  line: Line;
  readonly particulars: Particulars;
  readonly precedence: Precedence;
  readonly addresses: Addresses;
  /** LS6: how often each live place was taken to another device by a code; none for those that never were. */
  readonly takenAlong: Map<TicketNumber, number>;
  bucket: Bucket;
  /** When claims and sessions run out. */
  readonly agenda: Agenda;
  readonly pace: Pace;
  readonly waits: Waits;
  admitted: number;
  active: number;
  moved: number;
  completed: number;
  expired: number;
  left: number;
  lastAdmittedAt: Millis | undefined;
  /** Since when someone has been waiting without a break. */
  lineSince: Millis | undefined;
  endedAt: Millis | undefined;
}

export type QueueStatus = "OPEN" | "PAUSED" | "ENDED";

export function queueStatusOf(room: {
  readonly paused: boolean;
  readonly endedAt?: Millis | undefined;
}): QueueStatus {
  if (room.endedAt !== undefined) return "ENDED";
  return room.paused ? "PAUSED" : "OPEN";
}

export function countsOf(room: QueueRoom): QueueCounts {
  return { waiting: room.line.length, admitted: room.admitted, active: room.active, moved: room.moved };
}

export function newQueue(terms: QueueTerms, settings: QueueSettings): QueueRoom {
  const roster = new Roster();
  return assembleQueue({
    terms,
    settings,
    roster,
    line: new Line(),
    particulars: new Particulars(roster),
    precedence: new Precedence(terms.lanes),
    addresses: new Addresses(),
    takenAlong: new Map(),
    bucket: new Bucket(settings, terms.createdAt),
    pace: new Pace(),
    waits: new Waits(),
  });
}

type Parts = Omit<
  QueueRoom,
  | "agenda"
  | "paused"
  | "admitted"
  | "active"
  | "moved"
  | "completed"
  | "expired"
  | "left"
  | "lastAdmittedAt"
  | "lineSince"
  | "endedAt"
>;

/** An agenda looks at the places it is about, so the two are put together here. */
export function assembleQueue(parts: Parts): QueueRoom {
  const { roster, particulars } = parts;
  return {
    ...parts,
    agenda: new Agenda((number, at) => {
      const ticket = number as TicketNumber;
      if (!roster.remembers(ticket) || particulars.until(ticket) !== at) return false;
      const state = roster.stateOf(ticket);
      return state === "admitted" || state === "active";
    }),
    paused: false,
    admitted: 0,
    active: 0,
    moved: 0,
    completed: 0,
    expired: 0,
    left: 0,
    lastAdmittedAt: undefined,
    lineSince: undefined,
    endedAt: undefined,
  };
}
