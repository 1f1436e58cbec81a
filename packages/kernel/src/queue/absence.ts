import type { Absence } from "../decider.ts";
import type { QueueCommand } from "./commands.ts";
import { queueLimits } from "./limits.ts";
import { askAgainMsMax } from "./pace/ask-again.ts";
import type { QueueRoom, QueueSettings } from "./state.ts";

/**
 * A margin on the longest interval at which people ask again, as a share of it. Without it, one slow request would
 * make a place away.
 */
const marginShare = 0.5;
/** With a smaller margin, network latency alone would make places away. */
const marginMsMin = 1_000;

/** LN11: a waiting place is away after this time without a heartbeat. Undefined if the lease is too short for that. */
export function awayAfterMs(settings: Pick<QueueSettings, "heartbeatTimeoutMs">): number | undefined {
  const intervalMs = askAgainMsMax(settings);
  const marginMs = intervalMs * marginShare;
  return marginMs >= marginMsMin ? Math.ceil(intervalMs + marginMs) : undefined;
}

export const absence: Absence<QueueRoom, QueueCommand> = {
  isAway: (room, ticket) => room.line.isAside(ticket),
  back: (tickets) => ({ type: "back", tickets }),
  ticketsMax: queueLimits.eventTicketsMax,
};
