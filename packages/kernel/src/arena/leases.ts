import type { Lease } from "../decider.ts";
import type { TicketNumber } from "../values.ts";
import type { ArenaCommand } from "./commands.ts";
import { type ArenaRoom, seatedIn } from "./state.ts";

type ArenaLease = Lease<ArenaRoom, ArenaCommand>;

/** Tickets in one entry; with more at once, the next goes on. */
const entryTicketsMax = 1_024;

/** LS1: those in the line have to be heard of. */
export const waitingLease: ArenaLease = {
  windowMs: (room) => (room.line.length > 0 ? room.settings.heartbeatTimeoutMs : undefined),
  newest: (room) => room.roster.tickets,
  lapse(room, isHeard) {
    const tickets: TicketNumber[] = [];
    for (const ticket of room.line) {
      if (isHeard(ticket)) continue;
      tickets.push(ticket);
      if (tickets.length >= entryTicketsMax) break;
    }
    return tickets.length > 0 ? { type: "expire", tickets } : undefined;
  },
};

/** AR8, LS2: and those on a seat. An opponent waits for them, so the time is kept closely. */
export const seatLease: ArenaLease = {
  windowMs: (room) => (seatedIn(room) > 0 ? (room.settings.reconnectGraceMs ?? undefined) : undefined),
  spansPerWindow: 5,
  newest: (room) => room.roster.tickets,
  lapse(room, isHeard, now) {
    const { reconnectGraceMs } = room.settings;
    const silent = room.seats.flatMap((player) => {
      // Whoever has just been called to a seat may have waited in silence: they have the whole grace to notice.
      const isNew = player && now - player.since < (reconnectGraceMs ?? 0);
      return player && !isNew && !isHeard(player.ticket) ? [player.ticket] : [];
    });
    return silent.length > 0 ? { type: "forfeit", tickets: silent } : undefined;
  },
};
