import type { Absence } from "../decider.ts";
import { askAgainMsMax } from "./ask-again.ts";
import type { QueueCommand } from "./commands.ts";
import { type QueueRoom, type QueueSettings, queueLimits } from "./queue.ts";

/** Of the longest interval after which people are told to ask again: a request that is slow, or is sent late, makes nobody away. */
const marginShare = 0.5;
/** With less to spare, the journey of a request would. */
const marginMsMin = 1_000;

/** LN11: a waiting place that is silent for so long is away. Undefined where the lease is too short to tell. */
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
