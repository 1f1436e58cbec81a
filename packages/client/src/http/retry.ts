const firstPauseMs = 500;
const pauseMsMax = 15_000;

/**
 * How long to wait after so many failures in a row. Anywhere between nothing and twice as much each time: all who lost
 * one server at one moment must not come back at one moment.
 */
export function pauseMs(failures: number, random: () => number): number {
  return random() * Math.min(pauseMsMax, firstPauseMs * 2 ** Math.min(failures, 16));
}
