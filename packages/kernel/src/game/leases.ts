import type { Lease } from "../decider.ts";
import type { TicketNumber } from "../values.ts";
import type { GameCommand } from "./commands.ts";
import { seatedIn } from "./questions.ts";
import type { GameRoom } from "./state.ts";

/** Tickets in one entry. The rest follow in the next one. */
const entryTicketsMax = 1_024;

/**
 * LS2: in a game with a timeout, people on seats and in the line must send heartbeats. One lease covers both, because
 * a person who moves from the line to a seat has sent heartbeats until then.
 */
export const placeLease: Lease<GameRoom, GameCommand> = {
  windowMs({ terms, seated, line, endedAt }) {
    return endedAt === undefined && seated + line.length > 0 ? terms.heartbeatTimeoutMs : undefined;
  },
  newest: (room) => room.roster.tickets,
  lapse(room, isPresent) {
    const tickets: TicketNumber[] = [];
    for (const places of [seatedIn(room), room.line])
      for (const ticket of places) {
        if (tickets.length >= entryTicketsMax) break;
        if (!isPresent(ticket)) tickets.push(ticket);
      }
    return tickets.length > 0 ? { type: "expire", tickets } : undefined;
  },
};
