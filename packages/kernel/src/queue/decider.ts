import type { Column, Decider, Saved } from "../decider.ts";
import { Line } from "../line/line.ts";
import { Precedence } from "../line/precedence.ts";
import { Roster } from "../room/roster.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import { Addresses } from "./addresses.ts";
import type { QueueCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { QueueEvent } from "./events.ts";
import { evolve } from "./evolve.ts";
import { awayLease, sessionLease, waitingLease } from "./leases.ts";
import { Bucket } from "./pace/bucket.ts";
import { Pace } from "./pace/pace.ts";
import { type WaitAverages, Waits } from "./pace/waits.ts";
import { Particulars } from "./particulars.ts";
import {
  assembleQueue,
  countsOf,
  type QueueRoom,
  type QueueSettings,
  type QueueTerms,
  queueStatusOf,
} from "./state.ts";

/** The queue decider for the host. */
export const queueDecider: Decider<QueueRoom, QueueCommand, QueueEvent> = {
  decide,
  evolve,
  tick: { type: "tick" },
  keys: { fingerprint, formerFingerprint },
  snapshots: { save, restore },
  presence: { leases: [waitingLease, sessionLease, awayLease] },

  nextDue(room) {
    if (room.endedAt !== undefined) return undefined;
    const due = room.agenda.next;
    const admission = nextAdmissionAt(room);
    if (due === undefined || admission === undefined) return (due ?? admission) as Millis | undefined;
    return Math.min(due, admission) as Millis;
  },

  listing(room) {
    const { lanes, placesPerAddressMax, createdAt } = room.terms;
    return {
      status: queueStatusOf(room),
      summary: {
        ...room.settings,
        lanes,
        placesPerAddressMax,
        createdAt,
        ...countsOf(room),
      },
    };
  },
};

function formerFingerprint(command: QueueCommand): string | undefined {
  if (command.type === "create" && command.formerDefaults)
    return fingerprint({ ...command, settings: { ...command.settings, ...command.formerDefaults } });
  if (command.type === "configure" && command.formerDefaults)
    return fingerprint({ ...command, changes: { ...command.changes, ...command.formerDefaults } });
  return undefined;
}

function save(room: QueueRoom): Saved {
  const { terms, settings, paused, admitted, active, moved, completed, expired, left } = room;
  const { counts, second } = room.pace.save();
  return {
    head: {
      shape,
      ...{ terms, settings, paused, admitted, active, moved, completed, expired, left },
      lastAdmittedAt: room.lastAdmittedAt ?? null,
      lineSince: room.lineSince ?? null,
      ...(room.endedAt !== undefined && { endedAt: room.endedAt }),
      tickets: room.roster.tickets,
      precedence: room.precedence.save(),
      bucket: room.bucket.save(),
      paceSecond: second,
      waits: room.waits.averages,
    },
    columns: {
      ...room.roster.save(),
      ...room.particulars.save(),
      ...room.addresses.save(),
      line: room.line.toArray(),
      takenAlong: Uint32Array.from([...room.takenAlong].flat()),
      ...(room.line.asideCount > 0 && { away: room.line.asideToArray() }),
      pace: counts,
    },
  };
}

function fingerprint(command: QueueCommand): string {
  switch (command.type) {
    case "create": {
      const { settings, lanes, placesPerAddressMax } = command;
      return `create ${JSON.stringify([settings, lanes, placesPerAddressMax])}`;
    }
    case "configure":
      return `configure ${JSON.stringify(command.changes)}`;
    case "enter": {
      const { lane, metadata, onBehalf, person } = command;
      if (lane === 0 && metadata === undefined && !onBehalf) return "enter";
      return `enter ${JSON.stringify([lane, metadata ?? null, onBehalf ? person : null])}`;
    }
    case "leave":
    case "claim":
    case "complete":
    case "terminate":
      return `${command.type} ${command.ticket}`;
    case "take-along":
      return `take-along ${command.ticket} ${command.before}`;
    default:
      return command.type;
  }
}

/** When a token becomes available for the front of the line, if that is all it waits for. */
function nextAdmissionAt(room: QueueRoom): Millis | undefined {
  const { settings, line, admitted, active, paused } = room;
  if (paused || line.length === 0 || admitted + active >= settings.seats) return undefined;
  // AD4: when everybody is away, the front is next.
  const front = line.presentAt(1) ?? line.front()!;
  // More people can be admitted than one entry holds, so the next tick is due at once.
  if (room.precedence.isImmediate(room.particulars.laneOf(front)) || settings.ratePerSecond === null)
    return room.lastAdmittedAt ?? room.terms.createdAt;
  return room.bucket.nextTokenAt();
}

/** The shape of snapshots. A snapshot of another shape is not restored; the state is rebuilt from the log. */
const shape = 1;

interface Head {
  /** Snapshots of the first shape had no number. */
  readonly shape?: number;
  readonly terms: QueueTerms;
  readonly settings: QueueSettings;
  readonly paused: boolean;
  readonly admitted: number;
  readonly active: number;
  readonly moved: number;
  readonly completed: number;
  readonly expired: number;
  readonly left: number;
  readonly lastAdmittedAt: Millis | null;
  readonly lineSince: Millis | null;
  readonly endedAt?: Millis;
  readonly tickets: number;
  readonly precedence: { readonly settled: number; readonly passed: number };
  readonly bucket: { readonly parts: number; readonly at: Millis };
  readonly paceSecond: number;
  readonly waits: WaitAverages;
}

function restore({ head, columns: saved }: Saved): QueueRoom {
  const columns = saved as Record<string, Column>;
  const given = head as unknown as Head;
  assert(given.shape === undefined || given.shape === shape, "a snapshot of a queue of an unknown shape");
  const { terms, settings, tickets } = given;
  const line = Line.from(columns.line as Uint32Array, columns.away as Uint32Array | undefined);
  const roster = Roster.restore(columns, tickets);
  const { settled, passed } = given.precedence;
  const room = assembleQueue({
    terms,
    settings,
    line,
    roster,
    particulars: Particulars.restore(columns, roster),
    addresses: Addresses.restore(columns),
    takenAlong: takenAlongIn(columns.takenAlong),
    precedence: new Precedence(terms.lanes, settled, passed),
    bucket: new Bucket(settings, given.bucket.at, given.bucket.parts),
    pace: new Pace(new Uint32Array(columns.pace), given.paceSecond),
    waits: new Waits(given.waits),
  });
  const { paused, admitted, active, moved, completed, expired, left } = given;
  Object.assign(room, { paused, admitted, active, moved, completed, expired, left });
  room.lastAdmittedAt = given.lastAdmittedAt ?? undefined;
  room.lineSince = given.lineSince ?? undefined;
  room.endedAt = given.endedAt;
  if (room.endedAt === undefined) takeUp(room);
  return room;
}

/** Missing in snapshots from before codes were counted. */
function takenAlongIn(saved: Column | undefined): Map<TicketNumber, number> {
  const counts = new Map<TicketNumber, number>();
  for (let at = 0; at < (saved?.length ?? 0); at += 2) counts.set(saved![at] as TicketNumber, saved![at + 1]);
  return counts;
}

/** Derived from the places, so it is not saved. */
function takeUp({ roster, particulars, precedence, line, agenda }: QueueRoom): void {
  for (let row = 0; row < roster.remembered; row++) {
    const ticket = roster.ticketAt(row);
    const state = roster.stateOf(ticket);
    if (state === "waiting") precedence.entered(ticket, particulars.laneOf(ticket), line);
    else if (state === "admitted" || state === "active") agenda.add(ticket, particulars.until(ticket));
  }
}
