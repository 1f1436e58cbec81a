import type { Both, Millis, PersonId } from "../values.ts";
import type { ImportRow } from "./commands.ts";
import type { RatingTerms } from "./ratings/rating.ts";
import type { LadderSettings, MatchNumber, PlayerNumber, Reporter, Turn } from "./state.ts";

export type Created = {
  readonly type: "created";
  readonly rating: RatingTerms;
  readonly settings: LadderSettings;
  readonly creator: string;
};

type Configured = { readonly type: "configured"; readonly settings: LadderSettings };

export type Enrolled = {
  readonly type: "enrolled";
  readonly player: PlayerNumber;
  readonly person: PersonId;
  readonly name: string;
  readonly rating: number;
};

/** Someone who had left. They have what they had. */
type Returned = { readonly type: "returned"; readonly player: PlayerNumber; readonly name: string };

/** LD13. */
type Banned = { readonly type: "banned"; readonly player: PlayerNumber };
type Unbanned = { readonly type: "unbanned"; readonly player: PlayerNumber };

type Left = { readonly type: "left"; readonly player: PlayerNumber };

interface Played {
  readonly match: MatchNumber;
  readonly players: Both<PlayerNumber>;
  readonly scores: Both<number>;
  readonly reporter: Reporter;
}

/** LD9: to be confirmed. */
export type Reported = Played & {
  readonly type: "reported";
  readonly lapsesAt: Millis;
  readonly network?: string;
  /** LD14: the report of the opponent that gives another score of the same match. */
  readonly disputes?: MatchNumber;
};

/** LD2: a match counts, and both ratings change: all that there is to know of it, in one event. */
export type Counted = Played & {
  readonly type: "counted";
  readonly turn: Turn;
  /** The turns in which the two had played before: from the last of a player, all can be found. */
  readonly previous: Both<Turn | null>;
  readonly before: Both<number>;
  /** Added to `before`: computed once, never again. */
  readonly change: Both<number>;
  /** Glicko-2: after the match. */
  readonly deviation?: Both<number>;
  readonly volatility?: Both<number>;
  /** Of an imported one that says so. */
  readonly playedAt?: Millis;
  /** Where it comes from, if nobody reported it: a stream and the version of its entry, or a file and its row. */
  readonly origin?: string;
};

type Declined = { readonly type: "declined"; readonly match: MatchNumber };
type Lapsed = { readonly type: "lapsed"; readonly match: MatchNumber };

/** The ratings of later matches, in the order in which they count; two numbers a match, one a player. */
export interface Recount {
  readonly turns: readonly Turn[];
  readonly players: readonly PlayerNumber[];
  readonly before: readonly number[];
  readonly change: readonly number[];
  /** Glicko-2: after the match. */
  readonly deviation?: readonly number[];
  readonly volatility?: readonly number[];
}

/** LD8: as if it had never been. */
export type Voided = {
  readonly type: "voided";
  readonly match: MatchNumber;
  readonly players: Both<PlayerNumber>;
  /** Null when it had not counted. */
  readonly recount: Recount | null;
};

type ImportBegun = {
  readonly type: "import-begun";
  readonly digest: string;
  readonly rows: readonly ImportRow[];
};
/** So many rows of it have been counted by now. */
type Imported = { readonly type: "imported"; readonly digest: string; readonly done: number };

/** LD12: what this stream sent up to this version has been dealt with. */
type Received = { readonly type: "received"; readonly from: string; readonly version: number };

/** They go by another name. */
type Renamed = { readonly type: "renamed"; readonly player: PlayerNumber; readonly name: string };

/** CH1: what was said to a message, which is the same however often it comes. */
type Answered = {
  readonly type: "answered";
  readonly reply: string;
  readonly said: string;
  readonly to: string | null;
  /** Who wants to be a player, and since which version of the directory: what it sent before is about an earlier time. */
  readonly registered?: { readonly person: PersonId; readonly heardAt: number };
  /** What the other player of a match is told of it, wherever they can be reached. */
  readonly tells?: {
    readonly person: PersonId;
    readonly text: string;
    /** By whose doing. */
    readonly by?: PersonId;
  };
};

/** `unused`: nobody ever came (LM7). Then a result from an arena takes the ladder into use again. */
export type Expired = { readonly type: "expired"; readonly reason: "unused" | "ended_by_hand" };

export type LadderEvent =
  | Created
  | Configured
  | Enrolled
  | Returned
  | Left
  | Banned
  | Unbanned
  | Reported
  | Counted
  | Declined
  | Lapsed
  | Voided
  | ImportBegun
  | Imported
  | Received
  | Renamed
  | Answered
  | Expired;
