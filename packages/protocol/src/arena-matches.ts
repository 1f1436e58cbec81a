import Type from "typebox";
import { formerName, NextCursor, orNull, page, strictObject, Time } from "./common.ts";

/** The layout of a game of the catalogue: enough to draw it and to name every move. */
export const ArenaGame = Type.Object({
  name: Type.String({ description: "The game's name in the catalogue." }),
  title: Type.String(),
  summary: Type.String({ description: "How to win." }),
  columns: Type.Integer({ description: "Cells in a row; 0 for a game without a board." }),
  cells: Type.Array(Type.Object({ name: Type.String(), move: Type.String() }), {
    description: "Row by row: the name of each cell, and the move of playing on it.",
  }),
  choices: Type.Array(Type.Object({ move: Type.String(), name: Type.String(), symbol: Type.String() }), {
    description: "Moves that are not made on a cell.",
  }),
  isSecret: Type.Boolean({ description: "Whether moves stay hidden until all players have moved." }),
});
export type ArenaGame = Type.Static<typeof ArenaGame>;

export const ArenaPerson = Type.Object({
  userId: Type.String({ description: "The player's id." }),
  id: formerName(Type.String(), "userId"),
  name: Type.String({ description: "The player's name when they joined." }),
});

export const Sight = Type.Object({
  cells: Type.Array(orNull(Type.String()), {
    description: "The label on each cell, or null.",
  }),
  marked: Type.Array(Type.Integer(), {
    description: "Cells to highlight: the last move, or the winning line.",
  }),
  score: Type.Array(Type.Integer(), { description: "By seat; empty for games without scores." }),
  notes: Type.Array(Type.String(), { description: "A description in words, newest last." }),
  rounds: Type.Optional(
    Type.Array(
      Type.Object({
        number: Type.Integer(),
        chosen: Type.Array(Type.String(), { description: "By seat." }),
        winner: orNull(Type.Integer(), { description: "The winning seat; null for a tie." }),
      }),
      { description: "For games where all choose at once: the finished rounds, newest last." },
    ),
  ),
  chosen: orNull(Type.String(), {
    description: "Your own move, which others cannot see yet.",
  }),
});
export type Sight = Type.Static<typeof Sight>;

export const RunningMatch = Type.Object({
  id: Type.String({
    description: "Send it with each move, so that a late move cannot count in the next match.",
  }),
  number: Type.Integer({ description: "The first match of the arena is 1." }),
  startedAt: Time,
  turn: orNull(Type.Integer(), {
    description:
      "Send it with each move. The first turn is 1. Where several players move at once, it is the round. Null for a game played elsewhere.",
  }),
  toMove: Type.Array(Type.String(), { description: "The labels whose turn it is." }),
  moveBy: orNull(Time, { description: "When the turn runs out." }),
  moves: Type.Integer({ description: "Moves made so far." }),
  sight: orNull(Sight, { description: "The table; null for a game played elsewhere." }),
});
export type RunningMatch = Type.Static<typeof RunningMatch>;

const EndReason = Type.Enum(
  [
    "played",
    "resigned",
    "left",
    "disconnected",
    "move-timeout",
    "reported",
    "unreported",
    "too-long",
    "arena-ended",
  ],
  {
    description:
      "`played`: by the rules. `resigned`: a player gave up. `left`: a player left. `disconnected`: a player sent no heartbeat. `move-timeout`: a player ran out of time. `reported`: a service reported the result. `unreported`: nobody did in time. `too-long`: too many moves. `arena-ended`: the arena ended.",
  },
);

export const MatchResult = Type.Object({
  id: Type.String(),
  number: Type.Integer(),
  startedAt: Time,
  endedAt: Time,
  winner: orNull(Type.String(), { description: "The label that won; null for a draw." }),
  reason: EndReason,
  players: Type.Array(Type.Object({ label: Type.String(), person: ArenaPerson })),
  moves: Type.Integer(),
});
export type MatchResult = Type.Static<typeof MatchResult>;

const MatchId = Type.String({
  pattern: "^[0-9]{1,15}$",
  description: "1 to 15 digits: the id of the match, from `state.match.id`.",
});

export const NewMove = strictObject({
  match: MatchId,
  turn: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description:
        "The turn that the move is for, from `state.match.turn`, so that a retry cannot count in the next turn. Without it, you can make each move once per match.",
    }),
  ),
  move: Type.String({
    pattern: "^[\\x21-\\x7e]{1,32}$",
    description: "1 to 32 printable characters without spaces: a move of the game.",
  }),
});
export type NewMove = Type.Static<typeof NewMove>;

export const Resignation = strictObject({ match: MatchId });
export type Resignation = Type.Static<typeof Resignation>;

export const NewResult = strictObject({
  match: MatchId,
  winner: orNull(Type.String({ maxLength: 12 }), {
    description: "The label that has won; null for a draw.",
  }),
});
export type NewResult = Type.Static<typeof NewResult>;

/** The result of a move, a resignation or a report. */
export const MoveMade = Type.Object({
  match: Type.String(),
  label: orNull(Type.String(), { description: "The seat that moved, if any." }),
  move: orNull(Type.String()),
  result: orNull(MatchResult, { description: "The result, if this ended the match." }),
});
export type MoveMade = Type.Static<typeof MoveMade>;

export const MatchList = Type.Object({ matches: Type.Array(MatchResult), nextCursor: NextCursor });
export type MatchList = Type.Static<typeof MatchList>;
export const MatchListQuery = strictObject({ ...page });

/** A finished match from the first move to the last (MT4). */
export const Replay = Type.Object({
  match: MatchResult,
  game: orNull(ArenaGame),
  start: orNull(Sight, { description: "The table before the first move." }),
  moves: Type.Array(
    Type.Object({
      label: Type.String(),
      move: Type.String(),
      at: Time,
      sight: Sight,
    }),
  ),
});
export type Replay = Type.Static<typeof Replay>;
