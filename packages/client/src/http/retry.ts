const firstPauseMs = 500;
const pauseMsMax = 15_000;

/**
 * How long to wait after this many failures in a row: exponential backoff with full jitter, so that clients that lost a
 * server at the same time do not return at the same time.
 */
export function pauseMs(failures: number, random: () => number): number {
  return random() * Math.min(pauseMsMax, firstPauseMs * 2 ** Math.min(failures, 16));
}
