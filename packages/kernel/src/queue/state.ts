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

/** AD5: settings that may change while the queue runs. */
export interface QueueSettings {
  readonly title: string;
  /** Maximum number of people inside, admitted and active together. */
  readonly seats: number;
  /** Admissions per second, with at most three decimals; null for no limit other than seats. */
  readonly ratePerSecond: number | null;
  readonly burst: number;
  /** LN8: maximum number of waiting places. */
  readonly lineLengthMax: number;
  /** LN4: people who have waited longer than this are not overtaken. */
  readonly patienceMs: number;
  /** LS1: a waiting place expires after this time without a heartbeat. */
  readonly heartbeatTimeoutMs: number;
  /** AD6: an admission expires if it is not claimed within this time. */
  readonly claimTimeoutMs: number;
  /** AD8: the maximum length of a session. */
  readonly sessionDurationMs: number;
  /** LS2: a session expires after this time without a heartbeat; null for never. */
  readonly sessionTimeoutMs: number | null;
  /** Where people may be sent when it is their turn; the first is the default. */
  readonly returnAddresses: readonly string[];
  /**
   * LM3: new places per address and minute, counted where requests arrive. Without it, the server's default applies.
   */
  readonly entersPerAddressMax?: number | null;
}

/** What never changes after the queue was created. */
export interface QueueTerms {
  readonly lanes: readonly Lane[];
  /** LN10: maximum number of live places per address; null for no limit. */
  readonly placesPerAddressMax: number | null;
  readonly creator: string;
  readonly createdAt: Millis;
}

/** The counts after an event, so that answers and live messages need only the entry. `evolve` checks them. */
export interface QueueCounts {
  readonly waiting: number;
  readonly admitted: number;
  readonly active: number;
  /** How many people were ever admitted, which is how far the line has moved. */
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
  /** LS6: how often each live place was moved to another device by a code; places that never were have no entry. */
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
  /** Since when the line has not been empty. */
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

/** An agenda checks the places it refers to, so both are created together. */
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
