/** Recent seconds, each with its text up to the milliseconds. */
const secondsKept = 1024;
const seconds = new Float64Array(secondsKept).fill(Number.NaN);
const starts: string[] = new Array(secondsKept).fill("");

/** Like `Date.toISOString`, but faster for many times within the same minutes. */
export function iso(millis: number): string {
  const second = Math.floor(millis / 1000);
  const slot = Math.abs(second % secondsKept);
  if (seconds[slot] !== second) {
    starts[slot] = new Date(second * 1000).toISOString().slice(0, -4);
    seconds[slot] = second;
  }
  return `${starts[slot]}${String(1000 + millis - second * 1000).slice(1)}Z`;
}

export function secondsOf(millis: number | null): number | null {
  return millis === null ? null : millis / 1000;
}
