import type { Millis, TicketNumber } from "../values.ts";
import type { Admitted } from "./events.ts";
import { queueLimits } from "./limits.ts";
import type { Bucket } from "./pace/bucket.ts";
import type { QueueCounts, QueueRoom, QueueSettings } from "./state.ts";

/** Changes by earlier events of the same entry, which the room does not show yet. */
interface Changes {
  /** Tickets that are no longer in the line. */
  readonly gone?: readonly TicketNumber[];
  /** LN11: places in the line that this entry makes away or brings back. */
  readonly away?: readonly TicketNumber[];
  readonly back?: readonly TicketNumber[];
  readonly newcomer?: { readonly ticket: TicketNumber; readonly position: number; readonly lane: number };
  readonly settings?: QueueSettings;
  readonly bucket?: Bucket;
  readonly paused?: boolean;
}

/**
 * AD4: admits everyone who can be admitted, in the same entry that made it possible. Front first, while there are
 * seats, and tokens for lanes that need one (AD1, LN3). Places that are away come last.
 */
export function admissions(
  room: QueueRoom,
  now: Millis,
  counts: QueueCounts,
  changes: Changes = {},
): Admitted[] {
  const { settings = room.settings, bucket = room.bucket, paused = room.paused } = changes;
  if (paused) return [];
  const seats = Math.min(settings.seats - counts.admitted - counts.active, queueLimits.eventTicketsMax);
  if (seats <= 0 || counts.waiting === 0) return [];
  const tickets: TicketNumber[] = [];
  let tokens = bucket.tokens(now);
  for (const { ticket, lane } of inOrder(room, changes)) {
    if (tickets.length >= seats) break;
    const isImmediate = room.precedence.isImmediate(lane);
    if (!isImmediate && tokens < 1) break;
    if (!isImmediate) tokens--;
    tickets.push(ticket);
  }
  if (tickets.length === 0) return [];
  return [
    {
      type: "admitted",
      tickets,
      claimBy: (now + settings.claimTimeoutMs) as Millis,
      waiting: counts.waiting - tickets.length,
      admitted: counts.admitted + tickets.length,
      active: counts.active,
      moved: counts.moved + tickets.length,
    },
  ];
}

interface Candidate {
  readonly ticket: TicketNumber;
  readonly lane: number;
}

/** LN12: present places, front first. When none is left, the places that are away. */
function* inOrder(room: QueueRoom, changes: Changes): Generator<Candidate> {
  yield* present(room, changes);
  yield* absent(room, changes);
}

function* present(room: QueueRoom, changes: Changes): Generator<Candidate> {
  const { line, particulars } = room;
  const passed = new Set([...(changes.gone ?? []), ...(changes.away ?? [])]);
  const comers = comersTo(room, changes);
  let next = comers.shift();
  for (let number = 1; ; number++) {
    const ticket = line.presentAt(number);
    // A newcomer is not in the line yet and will be placed ahead of the person who has this rank now.
    for (; next && (ticket === undefined || next.position <= line.rank(ticket)); next = comers.shift())
      yield next;
    if (ticket === undefined) return;
    if (!passed.has(ticket)) yield { ticket, lane: particulars.laneOf(ticket) };
  }
}

/** Places that this entry brings back, front first. */
function comersTo({ line, particulars }: QueueRoom, { back = [], newcomer }: Changes) {
  if (newcomer) return [newcomer];
  const comers = back.map((ticket) => {
    return { ticket, position: line.rank(ticket), lane: particulars.laneOf(ticket) };
  });
  return comers.sort((a, b) => a.position - b.position);
}

function* absent(
  { line, particulars }: QueueRoom,
  { gone = [], away = [], back = [] }: Changes,
): Generator<Candidate> {
  const [left, leaving, returning] = [new Set(gone), new Set(away), new Set(back)];
  for (let rank = 1; rank <= line.length; rank++) {
    const ticket = line.at(rank)!;
    const isAway = line.isAside(ticket) ? !returning.has(ticket) : leaving.has(ticket);
    if (isAway && !left.has(ticket)) yield { ticket, lane: particulars.laneOf(ticket) };
  }
}
