import type { Lane } from "../line/lanes.ts";
import type { GameOptions } from "../match/game.ts";
import type { PersonId, TicketNumber } from "../values.ts";
import type { ArenaSettings, MatchId, RatedTerms } from "./state.ts";

export type CreateArena = {
  readonly type: "create";
  readonly game: string | null;
  readonly options: GameOptions;
  /** For a game played elsewhere. Games of the catalogue have their own labels. */
  readonly labels: readonly string[] | undefined;
  readonly lanes: readonly Lane[];
  readonly seed: number;
  readonly rated?: RatedTerms;
  /** `seats` is undefined for one seat per label. */
  readonly settings: Omit<ArenaSettings, "seats"> & { readonly seats: number | undefined };
  readonly creator: string;
};
export type Configure = {
  readonly type: "configure";
  readonly changes: Partial<ArenaSettings>;
  readonly by: string;
  readonly asOperator: boolean;
};
export type End = { readonly type: "end"; readonly by: string; readonly asOperator: boolean };
export type Join = {
  readonly type: "join";
  readonly person: PersonId;
  readonly name: string;
  readonly lane: number;
  /** On the arena's ladder; undefined where the arena has no tiers. */
  readonly rating?: number | undefined;
};
export type Leave = { readonly type: "leave"; readonly person: PersonId };
export type Move = {
  readonly type: "move";
  readonly person: PersonId;
  readonly match: MatchId;
  /** MT5: the turn that the move is for. Undefined from clients that do not send turns. */
  readonly turn?: number | undefined;
  readonly move: string;
};
export type Resign = { readonly type: "resign"; readonly person: PersonId; readonly match: MatchId };
/** AR10: a result from a service, for games played elsewhere. */
export type Report = {
  readonly type: "report";
  readonly match: MatchId;
  /** A label; null for a draw. */
  readonly winner: string | null;
};

/** From the host, which tracks heartbeats. */
export type Expire = { readonly type: "expire"; readonly tickets: readonly TicketNumber[] };
export type Forfeit = { readonly type: "forfeit"; readonly tickets: readonly TicketNumber[] };
/** From the host, after it has loaded the arena from the log. */
type Revive = { readonly type: "revive" };
type Tick = { readonly type: "tick" };

export type ArenaCommand =
  | CreateArena
  | Configure
  | End
  | Join
  | Leave
  | Move
  | Resign
  | Report
  | Expire
  | Forfeit
  | Revive
  | Tick;
