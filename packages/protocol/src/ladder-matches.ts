import Type from "typebox";
import { Cursor, Limit, NextCursor, orNull, strictObject, Time, UserId } from "./common.ts";

const Score = Type.Integer({ minimum: 0, maximum: 1_000 });

export const NewLadderMatch = strictObject({
  players: Type.Array(UserId, { minItems: 2, maxItems: 2, description: "Who played." }),
  scores: Type.Array(Score, {
    minItems: 2,
    maxItems: 2,
    description: "Points of each, in the same order; equal for a draw.",
  }),
});
export type NewLadderMatch = Type.Static<typeof NewLadderMatch>;

const MatchStatus = Type.Enum(["pending", "counted", "voided", "declined", "lapsed"], {
  description:
    "pending: waits for the opponent. counted: it counts. voided: it counted, or waited, and was taken back. declined, lapsed: it never counted.",
});

const Dispute = orNull(Type.String(), {
  description:
    "The opponent's report of the same match with another score, while both wait. Only one of the two can count.",
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
      description: "Until when it can be confirmed; null for one that counts.",
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
    recounted: Type.Integer({ description: "How many later matches were rated anew." }),
  }),
});
export type LadderMatchSettled = Type.Static<typeof LadderMatchSettled>;

export const LadderMatch = Type.Object({
  id: Type.String({ description: "The number of the match on its ladder." }),
  turn: orNull(Type.Integer(), {
    description: "1, 2, 3… in the order in which matches came to count; null for one that never did.",
  }),
  status: MatchStatus,
  players: Type.Array(
    Type.Object({
      ...MatchSide.properties,
      name: Type.String(),
      recounted: Type.Boolean({ description: "Rated anew since an earlier match was voided." }),
    }),
  ),
  reportedBy: Type.Enum(["first", "second", "service", "operator", "import", "source"], {
    description: "Whose word it is: the first player's, the second's, or that of someone trusted.",
  }),
  dispute: Dispute,
  reportedAt: Time,
  playedAt: orNull(Time, { description: "Of imported ones that say so." }),
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
  matches: Type.Array(LadderMatch, { description: "The newest first." }),
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
  recounted: Type.Boolean({ description: "Rated anew since an earlier match was voided." }),
  firstChange: orNull(Type.Number(), {
    description: "Of one rated anew: what it changed at first.",
  }),
  at: Time,
});
export type RatingStep = Type.Static<typeof RatingStep>;
export const RatingHistoryQuery = strictObject({ cursor: Type.Optional(Cursor), limit: Limit });
export const RatingHistory = Type.Object({
  history: Type.Array(RatingStep, { description: "The newest first." }),
  nextCursor: NextCursor,
});
export type RatingHistory = Type.Static<typeof RatingHistory>;

export const HeadToHead = Type.Object({
  player: Type.Object({ userId: Type.String(), name: Type.String(), rating: Type.Number() }),
  opponent: Type.Object({ userId: Type.String(), name: Type.String(), rating: Type.Number() }),
  wins: Type.Integer({ description: "Of the player, against this opponent." }),
  draws: Type.Integer(),
  losses: Type.Integer(),
  points: Type.Integer({ description: "That the player made in them." }),
  opponentPoints: Type.Integer(),
  isComplete: Type.Boolean({
    description:
      "Whether all are among them: of somebody with a very long history, only the latest are looked at.",
  }),
});
export type HeadToHead = Type.Static<typeof HeadToHead>;
