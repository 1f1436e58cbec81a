import type { CountOrder, MatchNumber, MatchStatus, Millis, PlayerNumber, Reporter } from "@openseat/kernel";
import type { StreamName } from "./log.ts";

export interface RatingChange {
  readonly before: number;
  readonly after: number;
  readonly deviation: number | null;
  /** The original change, if the match was rated again since; otherwise null. */
  readonly firstChange: number | null;
}

export interface StoredMatch {
  readonly number: MatchNumber;
  /** The turn in which the match came to count; null if it never did. */
  readonly turn: CountOrder | null;
  readonly status: MatchStatus;
  readonly players: readonly [PlayerNumber, PlayerNumber];
  readonly scores: readonly [number, number];
  readonly reporter: Reporter;
  readonly reportedAt: Millis;
  readonly playedAt: Millis | null;
  readonly changedAt: Millis;
  /** Null if the match never counted. */
  readonly changes: readonly [RatingChange, RatingChange] | null;
}

export interface MatchQuery {
  readonly stream: StreamName;
  readonly status?: MatchStatus;
  readonly order: "newest" | "oldest";
  /** The last number of the previous page. */
  readonly beyond?: number;
  readonly limit: number;
}

/** A player's matches that count or once counted, latest first, in the order in which they came to count. */
export interface PlayedQuery {
  readonly stream: StreamName;
  readonly player: PlayerNumber;
  readonly from: CountOrder;
  readonly opponent?: PlayerNumber;
  readonly limit: number;
}

/** A short page does not mean the end: there are more matches while `next` is a turn. */
export interface Played {
  readonly matches: readonly StoredMatch[];
  readonly next: CountOrder | null;
}

/** Queries for rows that were written together with their entries. */
export interface LadderStore {
  matches(query: MatchQuery): Promise<StoredMatch[]>;
  played(query: PlayedQuery): Promise<Played>;
  /** Current players whose name starts with this text, ignoring the case of Latin letters. */
  playersNamed(stream: StreamName, start: string, limit: number): Promise<PlayerNumber[]>;
}
