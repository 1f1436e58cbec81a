import type { TicketNumber } from "../../values.ts";
import type { QueueSettings } from "../state.ts";
import type { EstimateSeconds } from "./estimate.ts";

const secondsMin = 1;
const secondsMax = 60;
/** Heartbeats per lease. Two lost requests must not cost a place. */
const perLease = 2.5;
const jitter = 0.2;

/** The longest interval at which people are told to ask again. */
export function askAgainMsMax({ heartbeatTimeoutMs }: Pick<QueueSettings, "heartbeatTimeoutMs">): number {
  return Math.min(secondsMax * 1000, heartbeatTimeoutMs / perLease);
}

/**
 * When a person in the line should ask again: after a tenth of the shortest remaining wait, early enough that the
 * place does not become away (LN11) or expire, and spread so that people do not ask at the same moment.
 */
export function askAgainSeconds(
  settings: QueueSettings,
  estimate: EstimateSeconds | null,
  position: number,
  ticket: TicketNumber,
): number {
  const max = askAgainMsMax(settings) / 1000;
  const left = estimate?.low ?? position;
  const wanted = Math.min(max, Math.max(secondsMin, left / 10));
  const seconds = wanted * (1 - jitter * spread(ticket));
  return Math.round(seconds * 10) / 10;
}

/** Between 0 and 1, far apart for neighbours (Knuth's multiplicative hash). */
function spread(ticket: TicketNumber): number {
  return (Math.imul(ticket, 2654435761) >>> 0) / 2 ** 32;
}
