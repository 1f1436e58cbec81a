import type { Absence } from "../decider.ts";
import type { QueueCommand } from "./commands.ts";
import { queueLimits } from "./limits.ts";
import { askAgainMsMax } from "./pace/ask-again.ts";
import type { QueueRoom, QueueSettings } from "./state.ts";

/** Added to the longest interval at which people are told to ask, as a share of it. Without it, a slow request makes a place away. */
const marginShare = 0.5;
/** Below this margin, the time that a request takes over the network would make places away. */
const marginMsMin = 1_000;

/** LN11: after this time without a heartbeat a waiting place is away. Undefined if the lease is too short for that. */
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
