/** Someone was admitted: from which lane, with which ticket, when in milliseconds. */
export type Admission = { readonly ticket: number; readonly lane: number; readonly at: number };

/** LN1: how many were admitted after someone of their lane who had come later; `admissions` in the order they were made. */
export function inversionsIn(admissions: Iterable<Admission>): number {
  const newest = new Map<number, number>();
  let inversions = 0;
  for (const { ticket, lane } of admissions) {
    const before = newest.get(lane) ?? 0;
    if (ticket < before) inversions++;
    else newest.set(lane, ticket);
  }
  return inversions;
}

/** The same from what people were told, which comes in any order: by their tickets, nobody's turn may come earlier. */
export function inversionsByTime(admissions: readonly Admission[]): number {
  const latest = new Map<number, number>();
  let inversions = 0;
  for (const { lane, at } of admissions.toSorted((left, right) => left.ticket - right.ticket)) {
    const before = latest.get(lane) ?? Number.NEGATIVE_INFINITY;
    if (at < before) inversions++;
    else latest.set(lane, at);
  }
  return inversions;
}

const partsPerToken = 1_000_000;

/**
 * AD3: by how many admissions the fullest window of time is over `burst + rate × its length`; 0 or less when none is.
 * `times` in milliseconds, in order. Counted in millionths, as whole numbers: a bound that is met exactly is met.
 */
export function overBound(times: readonly number[], ratePerSecond: number, burst: number): number {
  const partsPerMs = Math.round(ratePerSecond * 1000);
  const start = times[0] ?? 0;
  let leastBefore = Number.POSITIVE_INFINITY;
  let worst = Number.NEGATIVE_INFINITY;
  for (const [index, time] of times.entries()) {
    const refilled = (time - start) * partsPerMs;
    leastBefore = Math.min(leastBefore, index * partsPerToken - refilled);
    worst = Math.max(worst, (index + 1) * partsPerToken - refilled - leastBefore);
  }
  return times.length === 0 ? 0 : worst / partsPerToken - burst;
}
