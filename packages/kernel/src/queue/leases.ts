import type { Lease } from "../decider.ts";
import type { TicketNumber } from "../values.ts";
import type { QueueCommand } from "./commands.ts";
import { type QueueRoom, queueLimits } from "./queue.ts";

type QueueLease = Lease<QueueRoom, QueueCommand>;

/** LS1: those in the line have to be heard of. */
export const waitingLease: QueueLease = {
  windowMs: (room) => (room.line.length > 0 ? room.settings.heartbeatTimeoutMs : undefined),
  newest: (room) => room.roster.tickets,
  lapse(room, isHeard) {
    const tickets: TicketNumber[] = [];
    for (const ticket of room.line) {
      if (isHeard(ticket)) continue;
      tickets.push(ticket);
      if (tickets.length >= queueLimits.eventTicketsMax) break;
    }
    return tickets.length > 0 ? { type: "expire", tickets, reason: "heartbeat_timeout" } : undefined;
  },
};

/** LS2: those inside too, where the queue asks for it. */
export const sessionLease: QueueLease = {
  windowMs: (room) => (room.active > 0 ? (room.settings.sessionTimeoutMs ?? undefined) : undefined),
  newest: (room) => room.roster.tickets,
  lapse(room, isHeard) {
    const tickets: TicketNumber[] = [];
    for (const number of room.agenda) {
      const ticket = number as TicketNumber;
      if (room.roster.stateOf(ticket) === "active" && !isHeard(ticket)) tickets.push(ticket);
    }
    tickets.sort((a, b) => a - b);
    tickets.splice(queueLimits.eventTicketsMax);
    return tickets.length > 0 ? { type: "expire", tickets, reason: "session_timeout" } : undefined;
  },
};
