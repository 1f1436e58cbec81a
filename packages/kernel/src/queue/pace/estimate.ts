import type { Millis } from "../../values.ts";
import type { QueueRoom } from "../state.ts";

/** A wait, in whole seconds: it will probably lie between the two. */
export interface EstimateSeconds {
  readonly low: number;
  readonly high: number;
}

/** Admissions a second, at the slowest and at the quickest that is likely. */
interface Rates {
  readonly slow: number;
  readonly quick: number;
}

const observedSecondsMax = 600;
const recentSeconds = 60;
/** With less to go by than this, what was configured says more than what was observed. */
const observedSecondsMin = 20;
const observedAdmissionsMin = 5;
const observedStaysMin = 5;
/** The next ones may stay longer than the last did. */
const stayMargin = 1.5;
/** Longer ones are no estimate any more. */
const estimateSecondsMax = 24 * 60 * 60;

/** ST2: how long it will take until the one at this position is admitted; null when nobody could say. */
export function estimateFor(room: QueueRoom, position: number, now: Millis): EstimateSeconds | null {
  if (room.paused) return null;
  const { slow, quick } = observedRates(room, now) ?? configuredRates(room);
  const low = Math.floor((position - 1) / quick);
  const high = Math.ceil(position / slow);
  return high <= estimateSecondsMax ? { low, high } : null;
}

/** From what has been seen since the line began to form: before that, people came as they liked. */
function observedRates(room: QueueRoom, now: Millis): Rates | undefined {
  const waitedMs = room.lineSince === undefined ? 0 : now - room.lineSince;
  const seconds = Math.min(observedSecondsMax, Math.floor(waitedMs / 1000));
  if (seconds < observedSecondsMin) return undefined;
  const admissions = room.pace.within(seconds, now);
  if (admissions < observedAdmissionsMin) return undefined;
  const recent = Math.min(recentSeconds, seconds);
  const overall = admissions / seconds;
  const lately = room.pace.within(recent, now) / recent;
  // Chance alone lets a count of n vary by about its root.
  const doubt = Math.min(0.5, 1 / Math.sqrt(admissions));
  return {
    slow: Math.min(overall, Math.max(lately, overall / 2)) * (1 - doubt),
    quick: Math.max(overall, lately) * (1 + doubt),
  };
}

/** Between everyone staying as long as they do or may, and the rate alone holding people back. */
function configuredRates({ settings, waits }: QueueRoom): Rates {
  const { stays, stayMs } = waits.averages;
  const seenMs = stays >= observedStaysMin ? stayMs * stayMargin : settings.sessionDurationMs;
  const turnover = (settings.seats * 1000) / Math.max(1000, Math.min(seenMs, settings.sessionDurationMs));
  const quick = settings.ratePerSecond ?? Math.max(turnover * 10, 1);
  return { slow: Math.min(turnover, quick), quick };
}
