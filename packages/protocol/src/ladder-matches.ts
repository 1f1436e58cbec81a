import Type from "typebox";
import { Cursor, Limit, NextCursor, orNull, strictObject, Time, UserId } from "./common.ts";

const Score = Type.Integer({ minimum: 0, maximum: 1_000 });

export const NewLadderMatch = strictObject({
  players: Type.Array(UserId, { minItems: 2, maxItems: 2, description: "Who played." }),
  scores: Type.Array(Score, {
    minItems: 2,
    maxItems: 2,
    description: "The score of each, in the same order; equal for a draw.",
  }),
});
export type NewLadderMatch = Type.Static<typeof NewLadderMatch>;

const MatchStatus = Type.Enum(["pending", "counted", "voided", "declined", "lapsed"], {
  description:
    "pending: waits for the opponent to confirm. counted: it counts. voided: it was voided. declined, lapsed: it never counted.",
});

const Dispute = orNull(Type.String(), {
  description:
    "The opponent's report of the same match with another score, while both are pending. Only one of the two can count.",
});

/** One side of a match. Ratings are null while the match does not count; a voided match keeps its former ratings. */
const MatchSide = Type.Object({
  userId: Type.String(),
  score: Type.Integer(),
  before: orNull(Type.Number()),
  after: orNull(Type.Number()),
});

/** The answer to a report or a confirmation. */
export const LadderMatchMade = Type.Object({
  match: Type.Object({
    id: Type.String({ description: "The number of the match on its ladder." }),
    status: MatchStatus,
    players: Type.Array(MatchSide),
    lapsesAt: orNull(Time, {
      description: "Until when the match can be confirmed; null if it counts.",
    }),
    dispute: Dispute,
  }),
});
export type LadderMatchMade = Type.Static<typeof LadderMatchMade>;

/** The answer to a void or a decline. */
export const LadderMatchSettled = Type.Object({
  match: Type.Object({
    id: Type.String(),
    status: MatchStatus,
    recounted: Type.Integer({ description: "How many later matches were rated again." }),
  }),
});
export type LadderMatchSettled = Type.Static<typeof LadderMatchSettled>;

export const LadderMatch = Type.Object({
  id: Type.String({ description: "The number of the match on its ladder." }),
  turn: orNull(Type.Integer(), {
    description: "1, 2, 3… in the order in which matches came to count; null for a match that never counted.",
  }),
  status: MatchStatus,
  players: Type.Array(
    Type.Object({
      ...MatchSide.properties,
      name: Type.String(),
      recounted: Type.Boolean({
        description: "Whether it was rated again because an earlier match was voided.",
      }),
    }),
  ),
  reportedBy: Type.Enum(["first", "second", "service", "operator", "import", "source"], {
    description: "Who reported the match: the first player, the second, or a trusted source.",
  }),
  dispute: Dispute,
  reportedAt: Time,
  playedAt: orNull(Time, {
    description: "For imported matches: when the match was played, if the file says so.",
  }),
  changedAt: Time,
});
export type LadderMatch = Type.Static<typeof LadderMatch>;
export const LadderMatchOnly = Type.Object({ match: LadderMatch });
export type LadderMatchOnly = Type.Static<typeof LadderMatchOnly>;

export const LadderMatchQuery = strictObject({
  player: Type.Optional(UserId),
  opponent: Type.Optional(UserId),
  status: Type.Optional(MatchStatus),
  cursor: Type.Optional(Cursor),
  limit: Limit,
});
export const LadderMatchList = Type.Object({
  matches: Type.Array(LadderMatch, { description: "Newest first." }),
  nextCursor: NextCursor,
});
export type LadderMatchList = Type.Static<typeof LadderMatchList>;

/** One step of a player's rating. */
export const RatingStep = Type.Object({
  match: Type.String({ description: "The number of the match." }),
  status: MatchStatus,
  opponent: Type.Object({ userId: Type.String(), name: Type.String() }),
  score: Type.Integer(),
  opponentScore: Type.Integer(),
  before: Type.Number(),
  after: Type.Number(),
  deviation: orNull(Type.Number()),
  recounted: Type.Boolean({ description: "Whether it was rated again because an earlier match was voided." }),
  firstChange: orNull(Type.Number(), {
    description: "For a match that was rated again: the original change.",
  }),
  at: Time,
});
export type RatingStep = Type.Static<typeof RatingStep>;
export const RatingHistoryQuery = strictObject({ cursor: Type.Optional(Cursor), limit: Limit });
export const RatingHistory = Type.Object({
  history: Type.Array(RatingStep, { description: "Newest first." }),
  nextCursor: NextCursor,
});
export type RatingHistory = Type.Static<typeof RatingHistory>;

export const HeadToHead = Type.Object({
  player: Type.Object({ userId: Type.String(), name: Type.String(), rating: Type.Number() }),
  opponent: Type.Object({ userId: Type.String(), name: Type.String(), rating: Type.Number() }),
  wins: Type.Integer({ description: "Wins of the player against this opponent." }),
  draws: Type.Integer(),
  losses: Type.Integer(),
  points: Type.Integer({ description: "The player's total score in these matches." }),
  opponentPoints: Type.Integer(),
  isComplete: Type.Boolean({
    description:
      "Whether all matches are included. For a player with a very long history, only the latest are searched.",
  }),
});
export type HeadToHead = Type.Static<typeof HeadToHead>;
