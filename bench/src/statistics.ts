export type Spread = { readonly median: number; readonly lower: number; readonly upper: number };

/** The value at `share` of the sorted values, with linear interpolation (as in NumPy and R). */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const above = Math.ceil(position);
  return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), lower: quantile(values, 0.25), upper: quantile(values, 0.75) };
}

/** The spread of the ratios per round: a stall that is longer than a round cancels out. */
export function ratioSpread(numerators: readonly number[], denominators: readonly number[]): Spread {
  return spreadOf(numerators.map((numerator, round) => numerator / denominators[round]));
}
