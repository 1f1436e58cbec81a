import type { Both, Millis, PersonId } from "../values.ts";
import type { ImportRow } from "./commands.ts";
import type { RatingTerms } from "./ratings/rating.ts";
import type { CountOrder, LadderSettings, MatchNumber, PlayerNumber, Reporter } from "./state.ts";

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

/** A player who had left comes back, with their old rating. */
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

/** LD9: a report that waits for confirmation. */
export type Reported = Played & {
  readonly type: "reported";
  readonly lapsesAt: Millis;
  readonly network?: string;
  /** LD14: the opponent's report of the same match with another score. */
  readonly disputes?: MatchNumber;
};

/** LD2: a match counts and both ratings change. The event has everything about it. */
export type Counted = Played & {
  readonly type: "counted";
  readonly turn: CountOrder;
  /** The count order of each player's previous match. All matches of a player can be found by following these. */
  readonly previous: Both<CountOrder | null>;
  readonly before: Both<number>;
  /** Added to `before`. Computed once and never again. */
  readonly change: Both<number>;
  /** Glicko-2: values after the match. */
  readonly deviation?: Both<number>;
  readonly volatility?: Both<number>;
  /** When an imported match was played, if the file says so. */
  readonly playedAt?: Millis;
  /** Where a match that nobody reported came from: a stream and the version of its entry, or a file and its row. */
  readonly origin?: string;
};

type Declined = { readonly type: "declined"; readonly match: MatchNumber };
type Lapsed = { readonly type: "lapsed"; readonly match: MatchNumber };

/** New ratings of later matches, in count order: two numbers per match, one per player. */
export interface Recount {
  readonly turns: readonly CountOrder[];
  readonly players: readonly PlayerNumber[];
  readonly before: readonly number[];
  readonly change: readonly number[];
  /** Glicko-2: values after the match. */
  readonly deviation?: readonly number[];
  readonly volatility?: readonly number[];
}

/** LD8: ratings become what they would be without the match. */
export type Voided = {
  readonly type: "voided";
  readonly match: MatchNumber;
  readonly players: Both<PlayerNumber>;
  /** Null when the match had not counted. */
  readonly recount: Recount | null;
};

type ImportBegun = {
  readonly type: "import-begun";
  readonly digest: string;
  readonly rows: readonly ImportRow[];
};
/** How many rows have been counted by now. */
type Imported = { readonly type: "imported"; readonly digest: string; readonly done: number };

/** LD12: everything that this stream sent up to this version has been handled. */
type Received = { readonly type: "received"; readonly from: string; readonly version: number };

type Renamed = { readonly type: "renamed"; readonly player: PlayerNumber; readonly name: string };

/** CH1: the reply to a message. A message that arrives again gets the same reply. */
type Answered = {
  readonly type: "answered";
  readonly reply: string;
  readonly said: string;
  readonly to: string | null;
  /** Who asked to join, and at which version of the directory. Anything the directory sent before that is outdated. */
  readonly registered?: { readonly person: PersonId; readonly heardAt: number };
  /** A notice for the other player of the match, wherever they can be reached. */
  readonly tells?: {
    readonly person: PersonId;
    readonly text: string;
    /** Who caused it. */
    readonly by?: PersonId;
  };
};

/** `unused`: nobody ever joined (LM7). A result from an arena reopens such a ladder. */
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
