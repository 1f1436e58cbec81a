import type { Both } from "../../values.ts";

/** What is known of a player's strength. Elo knows no deviation and no volatility: there they are 0. */
export interface Rating {
  readonly rating: number;
  readonly deviation: number;
  readonly volatility: number;
}

/** A player as a match finds them. */
export interface Contender extends Rating {
  /** Matches that count for them so far. */
  readonly games: number;
}

/** For the first of two players: won, drawn, lost. */
export type Score = 1 | 0.5 | 0;

/** A draw is a half (LD3). */
export function scoreOf([first, second]: Both<number>): Score {
  if (first === second) return 0.5;
  return first > second ? 1 : 0;
}

/** K for everyone who has played so many matches or more. */
interface KStep {
  readonly from: number;
  readonly k: number;
}

/** How matches are rated. Never changes: what was counted could else not be counted again. */
export interface RatingTerms {
  readonly system: "elo" | "glicko2";
  /** What a newcomer has. */
  readonly start: number;
  /** Nobody falls below. */
  readonly floor: number;
  /** Elo: from the first step, which is from 0, upwards. */
  readonly k: readonly KStep[];
  /** Elo: how the chances follow from the difference; by the formula, or by FIDE's table. */
  readonly curve: "logistic" | "fide";
  /** Elo: a mark is provisional before so many matches. */
  readonly provisionalGames: number;
  /** Glicko-2: what a newcomer has. */
  readonly deviation: number;
  readonly volatility: number;
  /** Glicko-2: how much volatility may change. */
  readonly tau: number;
  /** Glicko-2: a mark is provisional while its deviation is greater. */
  readonly provisionalDeviation: number;
}

/** What a match does to two players. `change` is added to what they have; the rest is what they have then. */
export interface Rerating {
  readonly change: Both<number>;
  readonly deviation: Both<number>;
  readonly volatility: Both<number>;
}

export type Rate = (terms: RatingTerms, players: Both<Contender>, score: Score) => Rerating;
