import type { Refusal } from "../refusals.ts";
import type { Place, PlaceState } from "../room/roster.ts";
import type { Millis, PersonId, TicketNumber } from "../values.ts";
import type { EndReason } from "./events.ts";
import { askAgainSeconds } from "./pace/ask-again.ts";
import { type EstimateSeconds, estimateFor } from "./pace/estimate.ts";
import type { WaitAverages } from "./pace/waits.ts";
import { placeNotFound, queueEnded } from "./refusals.ts";
import { countsOf, type QueueCounts, type QueueRoom } from "./state.ts";

/** A place in a waiting room at one moment. */
export interface QueuePlace {
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  readonly state: PlaceState;
  readonly lane: number;
  readonly enteredAt: Millis;
  readonly changedAt: Millis;
  /** LN5: one more than the number of people ahead; 0 for a place that is not waiting. */
  readonly position: number;
  readonly enteredPosition: number;
  /** LN11: the place is waiting, and admission skips it until its next heartbeat. */
  readonly away: boolean;
  readonly estimate: EstimateSeconds | null;
  readonly askAgainSeconds: number;
  /** When the admission or the session ends; undefined for other places. */
  readonly until: Millis | undefined;
  /** RM5: why it is over; undefined while it is not. */
  readonly reason: EndReason | undefined;
  /** The version of the entry by which the person entered. */
  readonly entry: number;
}

/**
 * The place with this ticket, if `person` may see it; `person` is undefined for services and operators, who may see
 * all.
 */
export function queuePlace(
  room: QueueRoom,
  ticket: TicketNumber,
  person: PersonId | undefined,
  now: Millis,
): QueuePlace | { readonly refusal: Refusal } {
  const { roster } = room;
  if (ticket < 1 || ticket > roster.tickets) return { refusal: placeNotFound };
  if (!roster.remembers(ticket)) return { refusal: placeGone("over") };
  const place = roster.place(ticket);
  if (person !== undefined && place.person !== person) return { refusal: placeNotFound };
  return describe(room, place, now);
}

/** RM3: the person's live place, if there is one. */
export function livePlaceIn(room: QueueRoom, person: PersonId, now: Millis): QueuePlace | undefined {
  if (room.endedAt !== undefined) return undefined;
  const place = room.roster.livePlace(person);
  return place && describe(room, place, now);
}

/** Whether the place was live when the queue ended, and so ended with it. */
export function hasEndedWith({ endedAt }: QueueRoom, { state }: Place): boolean {
  return endedAt !== undefined && (state === "waiting" || state === "admitted" || state === "active");
}

function describe(room: QueueRoom, found: Place, now: Millis): QueuePlace {
  const isEnded = hasEndedWith(room, found);
  const place = isEnded ? { ...found, state: "expired" as const, changedAt: room.endedAt! } : found;
  const { ticket, state } = place;
  const { lane, position, entry } = room.particulars.origin(ticket);
  const hasTime = state === "admitted" || state === "active";
  const rank = state === "waiting" ? room.line.rank(ticket) : 0;
  const estimate = rank > 0 ? estimateFor(room, rank, now) : null;
  return {
    ...place,
    lane,
    entry,
    position: rank,
    enteredPosition: position,
    away: room.line.isAside(ticket),
    estimate,
    askAgainSeconds: askAgainSeconds(room.settings, estimate, rank, ticket),
    until: hasTime ? room.particulars.until(ticket) : undefined,
    reason: isEnded
      ? "room_ended"
      : hasTime || state === "waiting"
        ? undefined
        : room.particulars.endReasonOf(ticket),
  };
}

/** Refuses a place that is over, with the reason and time as long as they are remembered (RM5). */
export function placeGone(
  what: PlaceState | "over",
  end?: { readonly reason: EndReason | undefined; readonly endedAt: Millis },
): Refusal {
  const words = {
    completed: "This visit is completed.",
    left: "This place was given up.",
    expired: "This place has expired.",
    over: "This place has been over for a long time.",
  };
  const message =
    end?.reason === "room_ended"
      ? queueEnded.message
      : `${words[what as keyof typeof words] ?? words.over} You can enter the line again.`;
  return {
    code: "place.over",
    message,
    ...(end && { data: end }),
  };
}

/** ST1. */
export interface QueueStatistics extends QueueCounts {
  readonly completed: number;
  readonly expired: number;
  readonly left: number;
  readonly entered: number;
  /** LN11: how many waiting places are away. */
  readonly away: number;
  readonly admittedLastMinute: number;
  readonly admissionsPerSecond: number;
  readonly lastAdmittedAt: Millis | undefined;
  readonly waits: WaitAverages;
}

const observedSeconds = 60;

/** A younger queue was observed since it was created, and for at least one second. */
function secondsObserved({ terms }: QueueRoom, now: Millis): number {
  return Math.min(observedSeconds, Math.max(1, (now - terms.createdAt) / 1000));
}

export function queueStatistics(room: QueueRoom, now: Millis): QueueStatistics {
  const admittedLastMinute = room.pace.within(observedSeconds, now);
  return {
    ...countsOf(room),
    completed: room.completed,
    expired: room.expired,
    left: room.left,
    entered: room.roster.tickets,
    away: room.line.asideCount,
    admittedLastMinute,
    admissionsPerSecond: admittedLastMinute / secondsObserved(room, now),
    lastAdmittedAt: room.lastAdmittedAt,
    waits: room.waits.averages,
  };
}
