import type { Millis, TicketNumber } from "../values.ts";
import type { Bucket } from "./bucket.ts";
import type { Admitted } from "./events.ts";
import { type QueueCounts, type QueueRoom, type QueueSettings, queueLimits } from "./queue.ts";

/** What the events before it in the same entry have changed, and the room does not show yet. */
interface Changes {
  /** Those who are no longer in the line. */
  readonly gone?: readonly TicketNumber[];
  readonly newcomer?: { readonly ticket: TicketNumber; readonly position: number; readonly lane: number };
  readonly settings?: QueueSettings;
  readonly bucket?: Bucket;
  readonly paused?: boolean;
}

/**
 * AD4: whoever can be admitted at this moment is, in the very entry that made it possible. Front first, while there
 * are seats, and tokens for those whose lane needs one (AD1, LN3).
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
  for (const { ticket, lane } of fromTheFront(room, changes)) {
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

function* fromTheFront(
  { line, particulars }: QueueRoom,
  { gone = [], newcomer }: Changes,
): Generator<{ ticket: TicketNumber; lane: number }> {
  const left = new Set(gone);
  for (let rank = 1; rank <= line.length + 1; rank++) {
    // The newcomer is not in the line yet, and stands ahead of whoever has this rank now.
    if (newcomer?.position === rank) yield newcomer;
    const ticket = line.at(rank);
    if (ticket !== undefined && !left.has(ticket)) yield { ticket, lane: particulars.laneOf(ticket) };
  }
}
