import type { Lease } from "../decider.ts";
import type { TicketNumber } from "../values.ts";
import type { GameCommand } from "./commands.ts";
import { seatedIn } from "./questions.ts";
import type { GameRoom } from "./state.ts";

/** Tickets in one entry; with more at once, the next goes on. */
const entryTicketsMax = 1_024;

/**
 * LS2: in a game that was made with a timeout, people on seats and in the line have to be heard of. One lease for both: a
 * person who is called from the line to a seat has been heard of until then.
 */
export const placeLease: Lease<GameRoom, GameCommand> = {
  windowMs({ terms, seated, line, endedAt }) {
    return endedAt === undefined && seated + line.length > 0 ? terms.heartbeatTimeoutMs : undefined;
  },
  newest: (room) => room.roster.tickets,
  lapse(room, isHeard) {
    const tickets: TicketNumber[] = [];
    for (const places of [seatedIn(room), room.line])
      for (const ticket of places) {
        if (tickets.length >= entryTicketsMax) break;
        if (!isHeard(ticket)) tickets.push(ticket);
      }
    return tickets.length > 0 ? { type: "expire", tickets } : undefined;
  },
};
