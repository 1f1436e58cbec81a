import type { MatchNumber, MatchStatus, Millis, PlayerNumber, Reporter, Turn } from "@openseat/kernel";
import type { StreamName } from "./log.ts";

export interface RatingChange {
  readonly before: number;
  readonly after: number;
  readonly deviation: number | null;
  /** What it changed at first, if it was rated anew since; else null. */
  readonly firstChange: number | null;
}

export interface StoredMatch {
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

export interface MatchQuery {
  readonly stream: StreamName;
  readonly status?: MatchStatus;
  readonly order: "newest" | "oldest";
  /** The last number of the page before. */
  readonly beyond?: number;
  readonly limit: number;
}

/** What one player has played that counts, or counted once: the latest first, in the order in which it came to count. */
export interface PlayedQuery {
  readonly stream: StreamName;
  readonly player: PlayerNumber;
  readonly from: Turn;
  readonly opponent?: PlayerNumber;
  readonly limit: number;
}

/** Fewer than were asked for say nothing: there are more while there is a turn to go on from. */
export interface Played {
  readonly matches: readonly StoredMatch[];
  readonly next: Turn | null;
}

/** Queries of rows that were written together with their entries. */
export interface LadderStore {
  matches(query: MatchQuery): Promise<StoredMatch[]>;
  played(query: PlayedQuery): Promise<Played>;
  /** Players whose name begins so, whatever the case of its Latin letters; those who have left are not among them. */
  playersNamed(stream: StreamName, start: string, limit: number): Promise<PlayerNumber[]>;
}
