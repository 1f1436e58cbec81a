import Type from "typebox";
import { CreatedBy, NextCursor, orNull, page, shortText, strictObject, Time } from "./common.ts";

export const GameStatus = Type.Enum(["OPEN", "FULL", "ENDED"], {
  description: "OPEN: a seat is free. FULL: no seat is free. ENDED: final.",
});

/** The public view of a game. */
const gameFields = {
  id: Type.String({ description: "The game's id." }),
  title: Type.String({ description: "As given, without leading and trailing spaces." }),
  status: GameStatus,
  currentPlayers: Type.Integer({ description: "People on seats." }),
  maxPlayers: Type.Integer({ description: "Number of seats." }),
  availableSlots: Type.Integer({ description: "Free seats." }),
  waitlist: Type.Boolean({ description: "Whether people may wait in line when the game is full." }),
  waiting: Type.Integer({ description: "People in the line." }),
  endTime: orNull(Time),
  heartbeatTimeoutSeconds: orNull(Type.Number(), {
    description: "Places expire after this time without a heartbeat; null for never.",
  }),
  createdBy: CreatedBy,
  createdAt: Time,
};
export const Game = Type.Object(gameFields);
export type Game = Type.Static<typeof Game>;

/** A game at a version, from which the feed can be resumed. */
export const GameAtVersion = Type.Object({
  game: Game,
  version: Type.Integer({ description: "The version of this state. Watch from here." }),
});
export type GameAtVersion = Type.Static<typeof GameAtVersion>;

export const NewGame = strictObject({
  title: shortText(100),
  maxPlayers: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: "Number of seats. It never changes.",
  }),
  endTime: Type.Optional(Time),
  heartbeatTimeoutSeconds: Type.Optional(
    Type.Number({
      minimum: 5,
      maximum: 3_600,
      multipleOf: 1,
      description:
        "Places expire after this time without a heartbeat, and at the latest after twice that time. Without it, places last until people leave.",
    }),
  ),
  waitlist: Type.Optional(
    Type.Boolean({ default: false, description: "Whether people may wait in line when the game is full." }),
  ),
});
export type NewGame = Type.Static<typeof NewGame>;

export const GameList = Type.Object({
  games: Type.Array(Game),
  nextCursor: NextCursor,
});
export type GameList = Type.Static<typeof GameList>;

export const GameListQuery = strictObject({ status: Type.Optional(GameStatus), ...page });

export const Participant = Type.Object({
  id: Type.String({ description: "The id of this place. People who come back get a new one." }),
  userId: Type.String({ description: "The person." }),
  name: Type.String({ description: "The person's name when they joined." }),
  joinedAt: Time,
  status: Type.Enum(["ACTIVE", "WAITING", "LEFT", "COMPLETED"], {
    description:
      "ACTIVE: on a seat. WAITING: in the line. LEFT: left, removed or expired. COMPLETED: on a seat when the game ended.",
  }),
  leftAt: Type.Optional(Time),
});
export type Participant = Type.Static<typeof Participant>;

export const ParticipantList = Type.Object({
  participants: Type.Array(Participant),
  nextCursor: NextCursor,
});
export type ParticipantList = Type.Static<typeof ParticipantList>;

export const ParticipantListQuery = strictObject({
  present: Type.Optional(
    Type.Boolean({ default: false, description: "Only people who are in the game now." }),
  ),
  ...page,
});

export const Joined = Type.Object({
  game: Type.Object({
    ...gameFields,
    yourPosition: Type.Integer({
      description:
        "On a seat: how many people were seated when you joined, including you. In the line: your position.",
    }),
  }),
  participant: Participant,
});
export type Joined = Type.Static<typeof Joined>;

/** Your place in a game. */
export const OwnPlace = Type.Object({
  participant: Participant,
  yourPosition: orNull(Type.Integer(), {
    description: "Your position in the line; null on a seat.",
  }),
});
export type OwnPlace = Type.Static<typeof OwnPlace>;

export const GameOnly = Type.Object({ game: Game });
export type GameOnly = Type.Static<typeof GameOnly>;

export const CanJoin = Type.Object({
  canJoin: Type.Boolean({
    description: "Whether you would get a seat or a place in the line now.",
  }),
  reasons: Type.Array(Type.String(), {
    description: "Every reason that applies, the most serious first.",
  }),
  codes: Type.Array(Type.String(), { description: "The same reasons as stable codes." }),
  gameStatus: Type.Optional(
    Type.Enum(["OPEN", "FULL", "ENDED"], { description: "Missing when there is no such game." }),
  ),
  availableSlots: Type.Integer({ description: "Free seats." }),
  isParticipant: Type.Boolean({ description: "Whether you are on a seat, or were when the game ended." }),
  isWaiting: Type.Boolean({ description: "Whether you are in the line." }),
  yourPosition: orNull(Type.Integer(), {
    description: "Your position in the line; null when you are not in it.",
  }),
  wouldWait: Type.Boolean({ description: "Whether you would have to wait in the line." }),
});
export type CanJoin = Type.Static<typeof CanJoin>;
