import type { Both } from "../../values.ts";
import type { Contender, Rate, RatingTerms } from "./rating.ts";

const nothing: Both<number> = [0, 0];

/** LD3: computes the change for one player and subtracts it from the other when both have the same K. */
export const rateElo: Rate = (terms, [a, b], score) => {
  const surprise = score - expectedScore(terms.curve, a.rating - b.rating);
  const [kA, kB] = [kAfter(terms, a.games), kAfter(terms, b.games)];
  const change: Both<number> =
    kA === kB
      ? evenly(terms, [a, b], kA * surprise)
      : each(terms, [a, b], [kA * surprise, kB * (0 - surprise)]);
  return { change, deviation: nothing, volatility: nothing };
};

/** The expected score of a player who is rated higher by `difference`. */
export function expectedScore(curve: RatingTerms["curve"], difference: number): number {
  return curve === "fide" ? fideExpectation(difference) : 1 / (1 + 10 ** (-difference / 400));
}

function kAfter({ k }: RatingTerms, games: number): number {
  let step = k[0];
  for (const next of k) if (next.from <= games) step = next;
  return step.k;
}

/**
 * A player at the floor cannot lose points, so the winner gains none either. Otherwise points would come from nowhere.
 */
function evenly({ floor }: RatingTerms, [a, b]: Both<Contender>, change: number): Both<number> {
  const fair = Math.min(Math.max(change, Math.min(0, floor - a.rating)), Math.max(0, b.rating - floor));
  return [fair, 0 - fair]; // -fair of 0 is -0, which JSON does not preserve
}

function each({ floor }: RatingTerms, [a, b]: Both<Contender>, [first, second]: Both<number>): Both<number> {
  const least = (player: Contender) => Math.min(0, floor - player.rating);
  return [Math.max(first, least(a)), Math.max(second, least(b))];
}

/** The largest difference for each expected score of 0.50, 0.51, 0.52…: FIDE's table (B.02, 8.1.2). */
const fideSteps = [
  3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179,
  188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456,
  484, 517, 559, 619, 735,
];

function fideExpectation(difference: number): number {
  const apart = Math.round(Math.abs(difference));
  const step = fideSteps.findIndex((most) => apart <= most);
  const hundredths = 50 + (step < 0 ? fideSteps.length : step);
  return (difference < 0 ? 100 - hundredths : hundredths) / 100;
}
