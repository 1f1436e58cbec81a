/** An admission: lane, ticket and time in milliseconds. */
export type Admission = { readonly ticket: number; readonly lane: number; readonly at: number };

/** LN1: admissions after a later arrival of the same lane. `admissions` are in admission order. */
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

/**
 * The same from people's answers, which arrive in any order: sorted by ticket, admission times may not decrease.
 */
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
 * AD3: by how many admissions the fullest time window exceeds `burst + rate × its length`; 0 or less if none does.
 * `times` are sorted, in milliseconds. Counted in whole millionths, so that an exactly met bound passes.
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
