import rate from "glicko2-lite";
import type { Rate, Rating, RatingTerms } from "./rating.ts";

/** Each match is its own rating period: both players are rated by what the other had before it. */
export const rateGlicko2: Rate = (terms, [a, b], score) => {
  const first = afterPeriod(terms, a, [{ opponent: b, score }]);
  const second = afterPeriod(terms, b, [{ opponent: a, score: 1 - score }]);
  return {
    change: [first.rating - a.rating, second.rating - b.rating],
    // Cap the deviation at that of a new player. Between players with very different ratings, results that say little
    // would raise it further.
    deviation: [Math.min(first.deviation, terms.deviation), Math.min(second.deviation, terms.deviation)],
    volatility: [first.volatility, second.volatility],
  };
};

/** A player's values after a rating period with these matches, at least one. */
export function afterPeriod(
  { tau, floor }: Pick<RatingTerms, "tau" | "floor">,
  player: Rating,
  matches: readonly { readonly opponent: Rating; readonly score: number }[],
): Rating {
  const { rating, rd, vol } = rate(
    player.rating,
    player.deviation,
    player.volatility,
    matches.map(({ opponent, score }) => [opponent.rating, opponent.deviation, score]),
    { tau },
  );
  return { rating: Math.max(rating, Math.min(floor, player.rating)), deviation: rd, volatility: vol };
}
