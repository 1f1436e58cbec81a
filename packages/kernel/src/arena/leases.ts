import type { Lease } from "../decider.ts";
import type { TicketNumber } from "../values.ts";
import type { ArenaCommand } from "./commands.ts";
import { type ArenaRoom, seatedIn } from "./state.ts";

type ArenaLease = Lease<ArenaRoom, ArenaCommand>;

/** Tickets in one entry. The rest follow in the next one. */
const entryTicketsMax = 1_024;

/** LS1: people in the line must send heartbeats. */
export const waitingLease: ArenaLease = {
  windowMs: (room) => (room.line.length > 0 ? room.settings.heartbeatTimeoutMs : undefined),
  newest: (room) => room.roster.tickets,
  lapse(room, isPresent) {
    const tickets: TicketNumber[] = [];
    for (const ticket of room.line) {
      if (isPresent(ticket)) continue;
      tickets.push(ticket);
      if (tickets.length >= entryTicketsMax) break;
    }
    return tickets.length > 0 ? { type: "expire", tickets } : undefined;
  },
};

/** AR8, LS2: people on a seat must send heartbeats too. An opponent waits for them, so the window has more spans. */
export const seatLease: ArenaLease = {
  windowMs: (room) => (seatedIn(room) > 0 ? (room.settings.reconnectGraceMs ?? undefined) : undefined),
  spansPerWindow: 5,
  newest: (room) => room.roster.tickets,
  lapse(room, isPresent, now) {
    const { reconnectGraceMs } = room.settings;
    const silent = room.seats.flatMap((player) => {
      // A person just called to a seat may have been silent in the line: give them the whole grace period.
      const isNew = player && now - player.since < (reconnectGraceMs ?? 0);
      return player && !isNew && !isPresent(player.ticket) ? [player.ticket] : [];
    });
    return silent.length > 0 ? { type: "forfeit", tickets: silent } : undefined;
  },
};
