import {
  countsOf,
  type Listing,
  type Millis,
  type QueueCounts,
  type QueueEvent,
  type QueuePlace,
  type QueueRoom,
  type QueueSettings,
  type QueueStatistics,
  type QueueStatus,
  type QueueTerms,
  queueStatistics,
  queueStatusOf,
} from "@openseat/kernel";
import type { Position, Queue, QueueStats, Session } from "@openseat/protocol";
import type { Entry } from "../log/entry.ts";
import { iso } from "./times.ts";

interface Standing {
  readonly terms: Pick<QueueTerms, "lanes" | "placesPerAddressMax" | "createdAt">;
  readonly settings: QueueSettings;
  readonly status: QueueStatus;
  readonly counts: QueueCounts;
}

function queueAt(id: string, { terms, settings, status, counts }: Standing): Queue {
  return {
    id,
    title: settings.title,
    status,
    maxActive: settings.seats,
    rate: settings.ratePerSecond,
    burst: settings.burst,
    maxWaiting: settings.lineLengthMax,
    patienceSeconds: settings.patienceMs / 1000,
    heartbeatTimeoutSeconds: settings.heartbeatTimeoutMs / 1000,
    claimTimeoutSeconds: settings.claimTimeoutMs / 1000,
    sessionDurationSeconds: settings.sessionDurationMs / 1000,
    sessionTimeoutSeconds: settings.sessionTimeoutMs === null ? null : settings.sessionTimeoutMs / 1000,
    returnAddresses: [...settings.returnAddresses],
    maxEntersPerAddress: settings.entersPerAddressMax ?? null,
    lanes: terms.lanes.map((lane) => ({ ...lane })),
    maxPerAddress: terms.placesPerAddressMax,
    waiting: counts.waiting,
    admitted: counts.admitted,
    active: counts.active,
    createdAt: iso(terms.createdAt),
  };
}

export function queueView(id: string, room: QueueRoom): Queue {
  const { terms, settings } = room;
  return queueAt(id, { terms, settings, status: queueStatusOf(room), counts: countsOf(room) });
}

/** The queue as an operator's entry left it: what that entry holds and what never changes are all it takes. */
export function queueAfter(id: string, terms: QueueTerms, entry: Entry<QueueEvent>): Queue {
  const [first] = entry.events;
  const last = entry.events[entry.events.length - 1];
  if (first.type !== "created" && first.type !== "configured")
    throw new Error("An operator's word led to an entry without settings.");
  const { settings } = first;
  const paused = first.type === "configured" && first.paused;
  return queueAt(id, { terms, settings, status: queueStatusOf({ paused }), counts: countsIn(last) });
}

export function countsIn(event: QueueEvent): QueueCounts {
  return event.type === "created" ? { waiting: 0, admitted: 0, active: 0, moved: 0 } : event;
}

export function queueListed(id: string, { status, summary }: Listing): Queue {
  const given = summary as unknown as QueueSettings & QueueCounts & Standing["terms"];
  return queueAt(id, { terms: given, settings: given, status: status as QueueStatus, counts: given });
}

export function queueStatsView(queue: string, { waits, ...counts }: QueueStatistics): QueueStats {
  const shares = (value: number) => (waits.estimated > 0 ? rounded(value) : null);
  const { lastAdmittedAt, ...rest } = counts;
  return {
    queue,
    ...rest,
    admissionsPerSecond: rounded(counts.admissionsPerSecond),
    averageWaitSeconds: waits.count > 0 ? rounded(waits.waitMs / 1000) : null,
    lastAdmittedAt: lastAdmittedAt === undefined ? null : iso(lastAdmittedAt),
    estimate: {
      measured: waits.estimated,
      errorShare: shares(waits.errorShare),
      withinShare: shares(waits.withinShare),
    },
  };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

const positionStatus = {
  waiting: "WAITING",
  admitted: "ADMITTED",
  active: "ACTIVE",
  completed: "COMPLETED",
  left: "LEFT",
  expired: "EXPIRED",
} as const;

/** What a position is known by outside, and the proof that it was admitted. */
interface Outside {
  readonly id: string;
  readonly queue: string;
  readonly token: string | undefined;
}

/** `heardAt` is a moment at or after which the place was last heard of, where that is known. */
export function positionView(
  { id, queue, token, heardAt }: Outside & { readonly heardAt: Millis | undefined },
  room: QueueRoom,
  place: QueuePlace,
): Position {
  const { low, high } = place.estimate ?? {};
  const { enteredAt, changedAt, reason } = place;
  return {
    id,
    queue,
    status: positionStatus[place.state],
    lane: place.lane,
    position: place.position,
    length: room.line.length,
    estimate: low === undefined ? null : { lowSeconds: low, highSeconds: high! },
    away: place.away,
    askAgainSeconds: place.askAgainSeconds,
    moved: room.moved,
    enteredAt: iso(enteredAt),
    ...(reason !== undefined && { reason, endedAt: iso(changedAt) }),
    ...(reason === undefined &&
      heardAt !== undefined && { lastHeartbeatAt: iso(Math.max(heardAt, enteredAt)) }),
    ...(token !== undefined && { token, claimBy: iso(place.until!) }),
  };
}

type EventOf<Type extends QueueEvent["type"]> = Extract<QueueEvent, { readonly type: Type }>;

interface Arriving {
  readonly entered: EventOf<"entered">;
  /** Where it was the newcomer's turn at once. */
  readonly admission: EventOf<"admitted"> | undefined;
  readonly after: QueueCounts;
}

/** What an entry by which somebody entered says. */
export function arrivingBy({ events: [entered, next] }: Entry<QueueEvent>): Arriving {
  if (entered.type !== "entered") throw new Error("Entering led to an entry without a newcomer.");
  const letIn = next?.type === "admitted" ? next : undefined;
  // After a pause more may be let in than one entry holds: then it is others whom the newcomer's entry lets in.
  const isIn = letIn?.tickets.includes(entered.ticket);
  return { entered, admission: isIn ? letIn : undefined, after: letIn ?? entered };
}

/** Right after entering, from its entry alone, so that a repeated key gets the same answer to the letter. */
export function enteredView({ id, queue, token }: Outside, entry: Entry<QueueEvent>): Position {
  const { entered, admission, after } = arrivingBy(entry);
  const { lane, behind, estimate, askAgain } = entered;
  return {
    id,
    queue,
    status: admission ? "ADMITTED" : "WAITING",
    lane,
    position: admission ? 0 : after.waiting - behind,
    length: after.waiting,
    estimate: estimate && { lowSeconds: estimate.low, highSeconds: estimate.high },
    away: false,
    askAgainSeconds: askAgain,
    moved: after.moved,
    enteredAt: iso(entry.at),
    ...(token !== undefined && admission && { token, claimBy: iso(admission.claimBy) }),
  };
}

const sessionStatus = {
  active: "ACTIVE",
  completed: "COMPLETED",
  left: "LEFT",
  expired: "EXPIRED",
} as const;

export function sessionView(
  { id, queue, token }: Outside,
  state: keyof typeof sessionStatus,
  until: Millis | undefined,
): Session {
  return {
    id,
    queue,
    status: sessionStatus[state],
    ...(until !== undefined && { endTime: iso(until), endsAt: iso(until) }),
    ...(token !== undefined && { token }),
  };
}

/** FD3: how far the line has moved, the same for all who are in it. */
export function pulseView(room: QueueRoom, version: number, now: Millis) {
  return {
    version,
    moved: room.moved,
    waiting: room.line.length,
    admittedLastMinute: queueStatistics(room, now).admittedLastMinute,
    paused: room.paused,
  };
}
