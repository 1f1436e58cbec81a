import Type from "typebox";
import { Cursor, Limit, Time } from "./common.ts";

export const GameStatus = Type.Enum(["OPEN", "FULL", "ENDED"]);

/** What anyone may know of a game. */
const gameFields = {
  id: Type.String(),
  title: Type.String(),
  status: GameStatus,
  currentPlayers: Type.Integer(),
  maxPlayers: Type.Integer(),
  availableSlots: Type.Integer(),
  waitlist: Type.Boolean(),
  waiting: Type.Integer({ description: "How many are in the line." }),
  endTime: Type.Union([Time, Type.Null()]),
  createdAt: Time,
};
export const Game = Type.Object(gameFields);
export type Game = Type.Static<typeof Game>;

/** A game at a known version: the feed can be resumed from there. */
export const GameAtVersion = Type.Object({ game: Game, version: Type.Integer() });

export const NewGame = Type.Object(
  {
    title: Type.String({
      maxLength: 100,
      pattern: "^(?=.*\\S)[^\\p{Cc}]+$",
      description: "1 to 100 characters, not all of them spaces.",
    }),
    maxPlayers: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    endTime: Type.Optional(Time),
    waitlist: Type.Optional(
      Type.Boolean({ default: false, description: "Whether people may wait in line when the game is full." }),
    ),
  },
  { additionalProperties: false },
);
export type NewGame = Type.Static<typeof NewGame>;

export const GameList = Type.Object({
  games: Type.Array(Game),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

export const GameListQuery = Type.Object(
  { status: Type.Optional(GameStatus), cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) },
  { additionalProperties: false },
);

export const Participant = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  joinedAt: Time,
  status: Type.Enum(["ACTIVE", "WAITING", "LEFT", "COMPLETED"]),
  leftAt: Type.Optional(Time),
});
export type Participant = Type.Static<typeof Participant>;

export const ParticipantList = Type.Object({
  participants: Type.Array(Participant),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

export const ParticipantListQuery = Type.Object(
  { cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) },
  { additionalProperties: false },
);

export const Joined = Type.Object({
  game: Type.Object({
    ...gameFields,
    yourPosition: Type.Integer({
      description: "Seated: how many were in when you came, with you. Waiting: your position in the line.",
    }),
  }),
  participant: Participant,
});

export const GameOnly = Type.Object({ game: Game });

export const CanJoin = Type.Object({
  canJoin: Type.Boolean(),
  reasons: Type.Array(Type.String(), {
    description: "Why not: every reason that applies, the gravest first.",
  }),
  codes: Type.Array(Type.String(), { description: "The same reasons as stable words." }),
  gameStatus: GameStatus,
  availableSlots: Type.Integer(),
  isParticipant: Type.Boolean(),
  isWaiting: Type.Boolean(),
  wouldWait: Type.Boolean({ description: "Joining now would mean waiting in the line." }),
});
