import type { Lane } from "../line/lanes.ts";
import type { GameOptions, SeatNumber } from "../match/game.ts";
import type { Millis, PersonId, TicketNumber } from "../values.ts";
import type { ArenaSettings, MatchId, RatedTerms } from "./state.ts";

/** The counts after an event. `evolve` checks them. */
interface Counts {
  readonly seated: number;
  readonly waiting: number;
}

type Created = {
  readonly type: "created";
  readonly game: string | null;
  readonly options: GameOptions;
  readonly labels: readonly string[];
  readonly lanes: readonly Lane[];
  readonly seed: number;
  readonly rated?: RatedTerms;
  readonly settings: ArenaSettings;
  readonly creator: string;
};

type Configured = { readonly type: "configured"; readonly settings: ArenaSettings };

/** A new place in the line, with exactly `behind` of the people present behind it. */
export type Entered = Counts & {
  readonly type: "entered";
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  readonly name: string;
  readonly lane: number;
  readonly behind: number;
  /** AR9: matches in a row that the person has lost by the clock. */
  readonly timeouts: number;
};

/** The front of the line takes a seat. Arenas need no claim, so the place passes through `admitted` at once. */
export type Seated = Counts & {
  readonly type: "seated";
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  readonly seat: SeatNumber;
};

/** RM5: why a place is over. A player who goes to the back of the line gets a new place by an event of its own. */
export type PlaceEnd = "lost" | "completed" | "forfeited" | "left" | "cancelled" | "heartbeat_timeout";
export type Left = Counts & {
  readonly type: "left";
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  readonly reason: PlaceEnd;
};

/** AR4: everyone on a seat plays. */
export type Started = {
  readonly type: "started";
  readonly number: number;
  readonly seed: number;
  readonly moveBy: Millis | null;
};

type Moved = {
  readonly type: "moved";
  readonly seat: SeatNumber;
  readonly move: string;
  /** When the next turn runs out. */
  readonly moveBy: Millis | null;
};

export type MatchEnd =
  | "played"
  | "resigned"
  | "left"
  | "disconnected"
  | "move-timeout"
  | "reported"
  | "unreported"
  | "too-long"
  | "arena-ended";

/** A move, and how many milliseconds after the start of the match it was made. */
export type PlayedMove = readonly [seat: SeatNumber, move: string, afterMs: number];

/** Everything that a list of matches shows, so that a list reads one entry per match. */
export type Ended = {
  readonly type: "ended";
  readonly match: MatchId;
  readonly number: number;
  readonly startedAt: Millis;
  /** Null for a draw, and when no player is left. */
  readonly winner: SeatNumber | null;
  readonly reason: MatchEnd;
  readonly players: readonly {
    readonly seat: SeatNumber;
    readonly person: PersonId;
    readonly name: string;
  }[];
  readonly moves: number;
  /**
   * The version of the entry that ended the previous match, so that all can be found from the last one. Null for the
   * first.
   */
  readonly previous: number | null;
  /**
   * The moves, so that a replay reads only the first and the last entry. Missing for games played elsewhere and in
   * entries of older versions.
   */
  readonly played?: readonly PlayedMove[];
};

/** LS4: restarts the clock, because a turn must not run out while the server is down. */
type ClockRestarted = { readonly type: "clock-restarted"; readonly moveBy: Millis | null };

/**
 * The arena has ended, and with it every live place, for the reason `room_ended`. (`ended` is the event of a match.)
 * `unused`: nobody ever joined (LM7).
 */
type Expired = { readonly type: "expired"; readonly reason: "unused" | "ended_by_hand" };

export type ArenaEvent =
  | Created
  | Configured
  | Entered
  | Seated
  | Left
  | Started
  | Moved
  | Ended
  | ClockRestarted
  | Expired;
