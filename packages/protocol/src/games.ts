import Type from "typebox";
import { CreatedBy, NextCursor, orNull, page, shortText, strictObject, Time } from "./common.ts";

export const GameStatus = Type.Enum(["OPEN", "FULL", "ENDED"], {
  description: "OPEN: a seat is free. FULL: none is. ENDED: for good.",
});

/** The public view of a game. */
const gameFields = {
  id: Type.String({ description: "The game's id." }),
  title: Type.String({ description: "As given when it was made, without spaces around it." }),
  status: GameStatus,
  currentPlayers: Type.Integer({ description: "People on seats." }),
  maxPlayers: Type.Integer({ description: "Seats." }),
  availableSlots: Type.Integer({ description: "Free seats." }),
  waitlist: Type.Boolean({ description: "Whether people may wait in line when the game is full." }),
  waiting: Type.Integer({ description: "How many are in the line." }),
  endTime: orNull(Time),
  heartbeatTimeoutSeconds: orNull(Type.Number(), {
    description: "A place without a heartbeat for this long expires; null for never.",
  }),
  createdBy: CreatedBy,
  createdAt: Time,
};
export const Game = Type.Object(gameFields);
export type Game = Type.Static<typeof Game>;

/** A game at a version, from which the feed can be resumed. */
export const GameAtVersion = Type.Object({
  game: Game,
  version: Type.Integer({ description: "The version that this is true of; watching can go on from it." }),
});
export type GameAtVersion = Type.Static<typeof GameAtVersion>;

export const NewGame = strictObject({
  title: shortText(100),
  maxPlayers: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: "Seats; never changed afterwards.",
  }),
  endTime: Type.Optional(Time),
  heartbeatTimeoutSeconds: Type.Optional(
    Type.Number({
      minimum: 5,
      maximum: 3_600,
      multipleOf: 1,
      description:
        "A place without a heartbeat for this long expires, after twice as long at the latest. Without it, places last until people leave.",
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
  id: Type.String({ description: "The id of this place: people who come back get another." }),
  userId: Type.String({ description: "The person." }),
  name: Type.String({ description: "What the person was called when joining." }),
  joinedAt: Time,
  status: Type.Enum(["ACTIVE", "WAITING", "LEFT", "COMPLETED"], {
    description:
      "ACTIVE: on a seat. WAITING: in the line. LEFT: gone, also when removed or expired. COMPLETED: on a seat when the game ended.",
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
    Type.Boolean({ default: false, description: "Only those who are in the game now." }),
  ),
  ...page,
});

export const Joined = Type.Object({
  game: Type.Object({
    ...gameFields,
    yourPosition: Type.Integer({
      description: "Seated: how many were in when you came, with you. Waiting: your position in the line.",
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
    description: "Whether joining now would be granted a seat or a place in the line.",
  }),
  reasons: Type.Array(Type.String(), {
    description: "Every reason that applies, the most serious first.",
  }),
  codes: Type.Array(Type.String(), { description: "The same reasons as stable words." }),
  gameStatus: Type.Optional(
    Type.Enum(["OPEN", "FULL", "ENDED"], { description: "Left out when there is no such game." }),
  ),
  availableSlots: Type.Integer({ description: "Free seats." }),
  isParticipant: Type.Boolean({ description: "Whether you are on a seat, or were when the game ended." }),
  isWaiting: Type.Boolean({ description: "Whether you are in the line." }),
  yourPosition: orNull(Type.Integer(), {
    description: "Your position in the line; null when you are not in it.",
  }),
  wouldWait: Type.Boolean({ description: "Joining now would mean waiting in the line." }),
});
export type CanJoin = Type.Static<typeof CanJoin>;
