export type Spread = { readonly median: number; readonly lower: number; readonly upper: number };

/** The value at `share` of the sorted values, between two neighbours in proportion (as NumPy and R do). */
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

/** The spread of one ratio a round: a stall of the machine that lasts longer than a round cancels out in it. */
export function ratioSpread(numerators: readonly number[], denominators: readonly number[]): Spread {
  return spreadOf(numerators.map((numerator, round) => numerator / denominators[round]));
}
