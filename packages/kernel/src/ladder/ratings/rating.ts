import type { Both } from "../../values.ts";

/** An estimate of a player's strength. With Elo, deviation and volatility are 0. */
export interface Rating {
  readonly rating: number;
  readonly deviation: number;
  readonly volatility: number;
}

/** A player's values before a match. */
export interface Contender extends Rating {
  /** Matches that have counted for the player so far. */
  readonly games: number;
}

/** The result for the first of two players: won, drawn, lost. */
export type Score = 1 | 0.5 | 0;

/** LD3: a draw is half a point. */
export function scoreOf([first, second]: Both<number>): Score {
  if (first === second) return 0.5;
  return first > second ? 1 : 0;
}

/** K for players who have played this many matches or more. */
interface KStep {
  readonly from: number;
  readonly k: number;
}

/** How matches are rated. This never changes, because replaying old matches would give other ratings. */
export interface RatingTerms {
  readonly system: "elo" | "glicko2";
  /** The starting rating. */
  readonly start: number;
  /** Ratings never fall below this. */
  readonly floor: number;
  /** Elo: steps in ascending order, beginning with one from 0. */
  readonly k: readonly KStep[];
  /** Elo: how the expected score follows from the difference: by the formula or by FIDE's table. */
  readonly curve: "logistic" | "fide";
  /** Elo: a rating is provisional before this many matches. */
  readonly provisionalGames: number;
  /** Glicko-2: starting values. */
  readonly deviation: number;
  readonly volatility: number;
  /** Glicko-2: how much the volatility may change (tau). */
  readonly tau: number;
  /** Glicko-2: a rating is provisional while its deviation is greater than this. */
  readonly provisionalDeviation: number;
}

/** The effect of a match on two players. `change` is added to the rating; the other values replace the old ones. */
export interface Rerating {
  readonly change: Both<number>;
  readonly deviation: Both<number>;
  readonly volatility: Both<number>;
}

export type Rate = (terms: RatingTerms, players: Both<Contender>, score: Score) => Rerating;
