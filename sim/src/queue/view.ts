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

/** What can be known about a queue. Kernel rooms and model queues are compared in this form. */
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
  /** The requested place, or the reason it may not be seen; without a request, the viewer's live place. */
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

/** The view according to the kernel's public queries. */
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

/**
 * Without the estimate, which depends on the time of the question and on a history that the model does not keep.
 */
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
