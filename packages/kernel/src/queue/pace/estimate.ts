import type { Millis } from "../../values.ts";
import type { QueueRoom } from "../state.ts";

/** A range for the wait, in whole seconds. */
export interface EstimateSeconds {
  readonly low: number;
  readonly high: number;
}

/** Admissions per second: the slowest and the fastest likely rate. */
interface Rates {
  readonly slow: number;
  readonly quick: number;
}

const observedSecondsMax = 600;
const recentSeconds = 60;
/** Below this many observations, use the configured values instead. */
const observedSecondsMin = 20;
const observedAdmissionsMin = 5;
const observedStaysMin = 5;
/** Allow for stays that are longer than recent ones. */
const stayMargin = 1.5;
/** A longer wait is too uncertain to show. */
const estimateSecondsMax = 24 * 60 * 60;

/** ST2: how long until the person at this position is admitted; null when it is unknown. */
export function estimateFor(room: QueueRoom, position: number, now: Millis): EstimateSeconds | null {
  if (room.paused) return null;
  const { slow, quick } = observedRates(room, now) ?? configuredRates(room);
  const low = Math.floor((position - 1) / quick);
  const high = Math.ceil(position / slow);
  return high <= estimateSecondsMax ? { low, high } : null;
}

/** Observed since the line began to form. Before that, arrivals set the pace, not the line. */
function observedRates(room: QueueRoom, now: Millis): Rates | undefined {
  const waitedMs = room.lineSince === undefined ? 0 : now - room.lineSince;
  const seconds = Math.min(observedSecondsMax, Math.floor(waitedMs / 1000));
  if (seconds < observedSecondsMin) return undefined;
  const admissions = room.pace.within(seconds, now);
  if (admissions < observedAdmissionsMin) return undefined;
  const recent = Math.min(recentSeconds, seconds);
  const overall = admissions / seconds;
  const lately = room.pace.within(recent, now) / recent;
  // By chance alone, a count of n varies by about its square root.
  const doubt = Math.min(0.5, 1 / Math.sqrt(admissions));
  return {
    slow: Math.min(overall, Math.max(lately, overall / 2)) * (1 - doubt),
    quick: Math.max(overall, lately) * (1 + doubt),
  };
}

/** The slow end is when everybody stays as long as expected or allowed; the fast end is the configured rate alone. */
function configuredRates({ settings, waits }: QueueRoom): Rates {
  const { stays, stayMs } = waits.averages;
  const seenMs = stays >= observedStaysMin ? stayMs * stayMargin : settings.sessionDurationMs;
  const turnover = (settings.seats * 1000) / Math.max(1000, Math.min(seenMs, settings.sessionDurationMs));
  const quick = settings.ratePerSecond ?? Math.max(turnover * 10, 1);
  return { slow: Math.min(turnover, quick), quick };
}
