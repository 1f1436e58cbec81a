import type { Both, RatingTerms } from "@openseat/kernel";

/** A player's rating. Elo has no deviation or volatility. */
export interface Mark {
  readonly rating: number;
  readonly deviation: number | null;
  readonly volatility: number | null;
}

export interface Contender extends Mark {
  /** Counted matches so far. */
  readonly games: number;
}

export function newcomer({ system, deviation, volatility }: RatingTerms, rating: number): Mark {
  return system === "elo" ? { rating, deviation: null, volatility: null } : { rating, deviation, volatility };
}

/** The first player's result: win, draw or loss. */
export function scoreOf([first, second]: Both<number>): number {
  return first === second ? 0.5 : Number(first > second);
}

/**
 * Whether the match gives both players these ratings. Elo must agree to the last bit. Glicko-2 is solved
 * numerically, here by a different method, so it must agree closely, and later matches continue from the recorded
 * values.
 */
export function isRated(
  terms: RatingTerms,
  before: Both<Contender>,
  score: number,
  after: Both<Mark>,
): boolean {
  if (terms.system === "elo") {
    const expected = elo(terms, before, score);
    return expected.every((rating, which) => rating === after[which].rating);
  }
  const expected = [
    glicko2(terms, before[0], before[1], score),
    glicko2(terms, before[1], before[0], 1 - score),
  ];
  return expected.every((mark, which) => isNear(mark, after[which]));
}

function elo({ k, floor }: RatingTerms, [a, b]: Both<Contender>, score: number): Both<number> {
  const surprise = score - 1 / (1 + 10 ** ((b.rating - a.rating) / 400));
  const [kA, kB] = [a, b].map(({ games }) => k.findLast(({ from }) => from <= games)!.k);
  const canLose = ({ rating }: Contender) => Math.max(0, rating - floor);
  if (kA !== kB) {
    const changed = (player: Contender, change: number) => player.rating + Math.max(change, -canLose(player));
    return [changed(a, kA * surprise), changed(b, -kB * surprise)];
  }
  // What one player wins, the other loses, down to the floor.
  const lost = Math.min(Math.abs(kA * surprise), canLose(surprise < 0 ? a : b));
  return surprise < 0 ? [a.rating - lost, b.rating + lost] : [a.rating + lost, b.rating - lost];
}

/** Rating points per unit of the scale in the paper. */
const scale = 173.7178;

/** Glickman's paper, with one match per rating period. */
function glicko2({ tau, floor }: RatingTerms, player: Mark, opponent: Mark, score: number): Mark {
  const phi = player.deviation! / scale;
  const weight = 1 / Math.sqrt(1 + (3 * (opponent.deviation! / scale) ** 2) / Math.PI ** 2);
  const expected = 1 / (1 + Math.exp((-weight * (player.rating - opponent.rating)) / scale));
  const variance = 1 / (weight ** 2 * expected * (1 - expected));
  const surprise = weight * (score - expected);
  const volatility = volatilityAfter(tau, player.volatility!, phi, variance, variance * surprise);
  const spread = phi ** 2 + volatility ** 2;
  const deviation = 1 / Math.sqrt(1 / spread + 1 / variance);
  const rating = player.rating + scale * deviation ** 2 * surprise;
  return {
    rating: Math.max(rating, Math.min(floor, player.rating)),
    deviation: scale * deviation,
    volatility,
  };
}

/** Step 5 of the paper, by bisection. */
function volatilityAfter(
  tau: number,
  volatility: number,
  phi: number,
  variance: number,
  delta: number,
): number {
  const a = Math.log(volatility ** 2);
  const excess = delta ** 2 - phi ** 2 - variance;
  const f = (x: number) => {
    const square = Math.exp(x);
    return (square * (excess - square)) / (2 * (phi ** 2 + variance + square) ** 2) - (x - a) / tau ** 2;
  };
  let low = a;
  let high = a;
  while (f(low) < 0) low -= tau;
  while (f(high) > 0) high += tau;
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (f(middle) > 0) low = middle;
    else high = middle;
  }
  return Math.exp(low / 2);
}

function isNear(expected: Mark, { rating, deviation, volatility }: Mark): boolean {
  const isWithin = (difference: number, most: number) => Math.abs(difference) <= most;
  return (
    isWithin(expected.rating - rating, 1e-4) &&
    isWithin(expected.deviation! - deviation!, 1e-4) &&
    isWithin(expected.volatility! - volatility!, 1e-6)
  );
}
