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
import { iso, secondsOf } from "./times.ts";

interface Standing {
  readonly terms: Pick<QueueTerms, "lanes" | "placesPerAddressMax" | "createdAt">;
  readonly settings: QueueSettings;
  readonly status: QueueStatus;
  readonly counts: QueueCounts;
}

function queueAt(id: string, { terms, settings, status, counts }: Standing): Queue {
  const { waiting, admitted, active } = counts;
  return {
    ...{ id, title: settings.title, status },
    maxActive: settings.seats,
    rate: settings.ratePerSecond,
    burst: settings.burst,
    maxWaiting: settings.lineLengthMax,
    patienceSeconds: settings.patienceMs / 1000,
    heartbeatTimeoutSeconds: settings.heartbeatTimeoutMs / 1000,
    claimTimeoutSeconds: settings.claimTimeoutMs / 1000,
    sessionDurationSeconds: settings.sessionDurationMs / 1000,
    sessionTimeoutSeconds: secondsOf(settings.sessionTimeoutMs),
    returnAddresses: [...settings.returnAddresses],
    maxEntersPerAddress: settings.entersPerAddressMax ?? null,
    lanes: terms.lanes.map((lane) => ({ ...lane })),
    maxPerAddress: terms.placesPerAddressMax,
    ...{ waiting, admitted, active },
    createdAt: iso(terms.createdAt),
  };
}

export function queueView(id: string, room: QueueRoom): Queue {
  const { terms, settings } = room;
  return queueAt(id, { terms, settings, status: queueStatusOf(room), counts: countsOf(room) });
}

/** The queue after an operator's entry, from the entry and the terms, which never change. */
export function queueAfter(id: string, terms: QueueTerms, entry: Entry<QueueEvent>): Queue {
  const [first] = entry.events;
  const last = entry.events[entry.events.length - 1];
  if (first.type !== "created" && first.type !== "configured")
    throw new Error("The entry of an operator's command has no settings.");
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

interface Outside {
  readonly id: string;
  readonly queue: string;
  readonly token: string | undefined;
}

/** The place sent a heartbeat at or after `heartbeatAt`, if that is known. */
export function positionView(
  { id, queue, token, heartbeatAt }: Outside & { readonly heartbeatAt: Millis | undefined },
  room: QueueRoom,
  place: QueuePlace,
): Position {
  const { low, high } = place.estimate ?? {};
  const { enteredAt, changedAt, reason } = place;
  const { lane, position, away, askAgainSeconds } = place;
  return {
    ...{ id, queue, status: positionStatus[place.state], lane, position },
    length: room.line.length,
    estimate: low === undefined ? null : { lowSeconds: low, highSeconds: high! },
    ...{ away, askAgainSeconds },
    moved: room.moved,
    enteredAt: iso(enteredAt),
    ...(reason !== undefined && { reason, endedAt: iso(changedAt) }),
    ...(reason === undefined &&
      heartbeatAt !== undefined && { lastHeartbeatAt: iso(Math.max(heartbeatAt, enteredAt)) }),
    ...(token !== undefined && { token, claimBy: iso(place.until!) }),
  };
}

type EventOf<Type extends QueueEvent["type"]> = Extract<QueueEvent, { readonly type: Type }>;

interface Arriving {
  readonly entered: EventOf<"entered">;
  /** Set if the newcomer was admitted at once. */
  readonly admission: EventOf<"admitted"> | undefined;
  readonly after: QueueCounts;
}

export function arrivingBy({ events: [entered, next] }: Entry<QueueEvent>): Arriving {
  if (entered.type !== "entered") throw new Error("The entry of an arrival has no newcomer.");
  const letIn = next?.type === "admitted" ? next : undefined;
  // After a pause, the newcomer's entry may admit other people instead.
  const isIn = letIn?.tickets.includes(entered.ticket);
  return { entered, admission: isIn ? letIn : undefined, after: letIn ?? entered };
}

/** From the entry alone, so that a repeated key gets exactly the same response. */
export function enteredView(
  { id, queue, token }: Outside,
  { entered, admission, after }: Arriving,
  at: Millis,
): Position {
  const { lane, behind, estimate, askAgain } = entered;
  return {
    ...{ id, queue, status: admission ? "ADMITTED" : "WAITING", lane },
    position: admission ? 0 : after.waiting - behind,
    length: after.waiting,
    estimate: estimate && { lowSeconds: estimate.low, highSeconds: estimate.high },
    away: false,
    askAgainSeconds: askAgain,
    moved: after.moved,
    enteredAt: iso(at),
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

/** FD3: how far the line has moved, the same for everyone in it. */
export function pulseView(room: QueueRoom, version: number, now: Millis) {
  return {
    version,
    moved: room.moved,
    waiting: room.line.length,
    admittedLastMinute: queueStatistics(room, now).admittedLastMinute,
    paused: room.paused,
  };
}
