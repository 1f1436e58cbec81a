import type { Lease } from "../decider.ts";
import type { TicketNumber } from "../values.ts";
import { absence, awayAfterMs } from "./absence.ts";
import type { QueueCommand } from "./commands.ts";
import { queueLimits } from "./limits.ts";
import type { QueueRoom } from "./state.ts";

type QueueLease = Lease<QueueRoom, QueueCommand>;

/** LS1: people in the line must send heartbeats. */
export const waitingLease: QueueLease = {
  windowMs: (room) => (room.line.length > 0 ? room.settings.heartbeatTimeoutMs : undefined),
  newest: (room) => room.roster.tickets,
  lapse(room, isPresent) {
    const tickets = upToMax(room.line.toArray(), (ticket) => !isPresent(ticket));
    return tickets.length > 0 ? { type: "expire", tickets, reason: "heartbeat_timeout" } : undefined;
  },
};

/** LS2: active sessions must send heartbeats too, where the queue requires it. */
export const sessionLease: QueueLease = {
  windowMs: (room) => (room.active > 0 ? (room.settings.sessionTimeoutMs ?? undefined) : undefined),
  newest: (room) => room.roster.tickets,
  lapse(room, isPresent) {
    const tickets: TicketNumber[] = [];
    for (const number of room.agenda) {
      const ticket = number as TicketNumber;
      if (room.roster.stateOf(ticket) === "active" && !isPresent(ticket)) tickets.push(ticket);
    }
    tickets.sort((a, b) => a - b);
    tickets.splice(queueLimits.eventTicketsMax);
    return tickets.length > 0 ? { type: "expire", tickets, reason: "session_timeout" } : undefined;
  },
};

/** LN11: a waiting place without heartbeats is away until the next one. */
export const awayLease: QueueLease = {
  windowMs({ line, settings }) {
    if (line.length === 0) return undefined;
    // After the lease was made too short for this, places that are already away can still come back.
    return awayAfterMs(settings) ?? (line.asideCount > 0 ? settings.heartbeatTimeoutMs : undefined);
  },
  // With one span per window, a place would become away only when it is about to expire.
  spansPerWindow: 2,
  newest: (room) => room.roster.tickets,
  absence,
  lapse({ line, settings }, isPresent) {
    const back = upToMax(line.asideToArray(), isPresent);
    if (back.length > 0) return { type: "back", tickets: back };
    if (awayAfterMs(settings) === undefined) return undefined;
    const away = upToMax(line.presentToArray(), (ticket) => !isPresent(ticket));
    return away.length > 0 ? { type: "away", tickets: away } : undefined;
  },
};

function upToMax(tickets: Uint32Array, isWanted: (ticket: TicketNumber) => boolean): TicketNumber[] {
  const found: TicketNumber[] = [];
  for (const number of tickets) {
    const ticket = number as TicketNumber;
    if (isWanted(ticket) && found.push(ticket) >= queueLimits.eventTicketsMax) break;
  }
  return found;
}
