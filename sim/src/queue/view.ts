import {
  countsOf,
  livePlaceIn,
  type Millis,
  type PersonId,
  type PlaceState,
  type QueueCounts,
  type QueuePlace,
  type QueueRoom,
  type QueueSettings,
  type QueueTerms,
  queuePlace,
  queueStatistics,
  queueStatusOf,
  type TicketNumber,
} from "@openseat/kernel";
import { type Glance, type Obstacle, obstacle } from "../specification.ts";
import { operator } from "./queue.ts";

/** What can be known about a queue. The kernel's rooms and the model's queues are compared in this shape. */
export interface QueueView {
  readonly terms: QueueTerms;
  readonly settings: QueueSettings;
  readonly status: string;
  readonly counts: QueueCounts;
  readonly over: Readonly<Record<"completed" | "expired" | "left", number>>;
  readonly entered: number;
  readonly away: number;
  readonly lastAdmittedAt: Millis | null;
  readonly line: readonly number[];
  /** The place that was asked for, or why it may not be seen; without one, the live place of the one who looks. */
  readonly mine: PlaceView | Obstacle | null;
}

export interface PlaceView {
  readonly ticket: number;
  readonly person: string;
  readonly state: PlaceState;
  readonly lane: number;
  readonly enteredAt: Millis;
  readonly changedAt: Millis;
  readonly position: number;
  readonly enteredPosition: number;
  readonly away: boolean;
  readonly until: Millis | null;
  readonly entry: number;
}

/** As the server sees the room, through the questions that the kernel answers. */
export function viewOfQueueRoom(room: QueueRoom, glance: Glance, now: Millis): QueueView {
  const { completed, expired, left, entered, away, lastAdmittedAt } = queueStatistics(room, now);
  return {
    terms: room.terms,
    settings: room.settings,
    status: queueStatusOf(room),
    counts: countsOf(room),
    over: { completed, expired, left },
    entered,
    away,
    lastAdmittedAt: lastAdmittedAt ?? null,
    line: [...room.line.toArray()],
    mine: placeSeen(room, glance, now),
  };
}

function placeSeen(room: QueueRoom, { by, ticket }: Glance, now: Millis): QueueView["mine"] {
  const person = by === operator ? undefined : (by as PersonId);
  const seen =
    ticket === undefined
      ? livePlaceIn(room, by as PersonId, now)
      : queuePlace(room, ticket as TicketNumber, person, now);
  if (!seen) return null;
  return "refusal" in seen ? obstacle(seen.refusal) : viewOfPlace(seen);
}

/** Without the estimate, which depends on the moment of asking and on a history that the model does not keep. */
function viewOfPlace(place: QueuePlace): PlaceView {
  const { ticket, person, state, lane, enteredAt, changedAt, position, enteredPosition } = place;
  const { away, until, entry } = place;
  return {
    ticket,
    person,
    state,
    lane,
    enteredAt,
    changedAt,
    position,
    enteredPosition,
    away,
    until: until ?? null,
    entry,
  };
}
