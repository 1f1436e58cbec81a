import type { MatchNumber, MatchStatus, Millis, PlayerNumber, Reporter, Turn } from "@openseat/kernel";
import type { StreamName } from "./log.ts";

/** What a match did to one of its two. */
export interface RatingChange {
  readonly before: number;
  readonly after: number;
  readonly deviation: number | null;
  /** What it changed at first, if it was rated anew since; else null. */
  readonly firstChange: number | null;
}

export interface MatchRecord {
  readonly number: MatchNumber;
  /** The turn in which it came to count; null when it never did. */
  readonly turn: Turn | null;
  readonly status: MatchStatus;
  readonly players: readonly [PlayerNumber, PlayerNumber];
  readonly scores: readonly [number, number];
  readonly reporter: Reporter;
  readonly reportedAt: Millis;
  readonly playedAt: Millis | null;
  readonly changedAt: Millis;
  /** Null when it never counted. */
  readonly changes: readonly [RatingChange, RatingChange] | null;
}

/** A page of the matches of a ladder, by number; of one player, in the order in which they came to count. */
export interface MatchQuery {
  readonly stream: StreamName;
  /** Only those of this player that count, or counted once. */
  readonly player?: PlayerNumber;
  /** Only those of these two. */
  readonly pair?: readonly [PlayerNumber, PlayerNumber];
  /** Of the whole ladder, only those in this state. */
  readonly status?: MatchStatus;
  readonly order: "newest" | "oldest";
  /** The number, or of one player's the turn, to go on from; it is not among them. */
  readonly beyond?: number;
  readonly limit: number;
}

/** How two players did against each other, in matches that count; from the first one's side. */
export interface HeadToHeadRecord {
  readonly wins: number;
  readonly draws: number;
  readonly losses: number;
  readonly points: number;
  readonly opponentPoints: number;
}

/** What is asked for by query. The rows were written together with the entries that they come from. */
export interface LadderRecords {
  matches(query: MatchQuery): Promise<MatchRecord[]>;
  headToHead(stream: StreamName, pair: readonly [PlayerNumber, PlayerNumber]): Promise<HeadToHeadRecord>;
  /** Players whose name begins so, whatever the case of its Latin letters; those who have left are not among them. */
  playersNamed(stream: StreamName, start: string, limit: number): Promise<PlayerNumber[]>;
}
