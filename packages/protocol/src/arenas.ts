import Type from "typebox";
import { ArenaGame, ArenaPerson, MatchResult, RunningMatch, Sight } from "./arena-matches.ts";
import type { ArenaChange } from "./changes.ts";
import {
  ChosenId,
  CreatedBy,
  changesOf,
  day,
  Id,
  NextCursor,
  optional,
  orNull,
  page,
  seconds,
  shortText,
  strictObject,
  Time,
} from "./common.ts";
import { Lane } from "./queues.ts";

export const ArenaStatus = Type.Enum(["WAITING", "PLAYING", "ENDED"], {
  description:
    "WAITING: for players. PLAYING: a match is being played. ENDED: its creator or an operator ended it, or it was not used within a week of its creation.",
});

const DrawRule = Type.Enum(["longest-leaves", "rematch", "both-leave"], {
  description:
    "After a draw: the player seated longest goes to the back; the same players play again; all players go to the back.",
});

/** Settings that can be changed at any time. The current turn keeps its clock; everything else applies at once. */
const changeable = {
  title: shortText(100),
  seats: Type.Integer({
    minimum: 2,
    maximum: 16,
    description:
      "How many people play at once. Games of the catalogue have a fixed number. Lowering it removes nobody.",
  }),
  drawRule: DrawRule,
  maxWins: orNull(Type.Integer({ minimum: 1, maximum: 1_000 }), {
    description: "After this many wins in a row a player goes to the back too; null for never.",
  }),
  moveTimeoutSeconds: orNull(seconds(1, day), {
    description:
      "How long a turn may take; null for no clock. For games played elsewhere: how long a match may take.",
  }),
  reconnectGraceSeconds: orNull(seconds(1, 3_600), {
    description: "How long a player without a heartbeat keeps the seat; null for no limit.",
  }),
  heartbeatTimeoutSeconds: seconds(5, 3_600),
  maxWaiting: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: "The maximum length of the line.",
  }),
  patienceSeconds: seconds(0, day, {
    description: "People who have waited longer than this are not overtaken.",
  }),
};

const GameOptions = Type.Record(Type.String({ pattern: "^[a-zA-Z]{1,32}$" }), Type.Integer(), {
  maxProperties: 8,
  description: "Options of the game, such as `bestOf`.",
});

export const NewArena = strictObject({
  id: Type.Optional(ChosenId),
  game: orNull(Type.String({ pattern: "^[a-z0-9-]{1,64}$" }), {
    description: "The name of a game of the catalogue; null for a game played elsewhere.",
    examples: ["tic-tac-toe"],
  }),
  options: Type.Optional(GameOptions),
  labels: Type.Optional(
    Type.Array(Type.String({ pattern: "^[\\x21-\\x7e]{1,12}$" }), {
      minItems: 2,
      maxItems: 16,
      uniqueItems: true,
      description: "The labels of the seats of a game played elsewhere. Default: 1 and 2.",
    }),
  ),
  lanes: Type.Optional(
    Type.Array(Lane, { minItems: 1, maxItems: 16, description: "Default: one lane for everybody." }),
  ),
  ladder: Type.Optional(
    Type.String({
      ...Id,
      description: "The ladder on which its matches count. Only its organisers can name it.",
    }),
  ),
  tiers: Type.Optional(
    Type.Array(
      strictObject({
        name: shortText(40),
        from: Type.Number({
          minimum: 0,
          maximum: 10_000,
          description: "The lowest rating of this tier. The first tier is also for everyone below.",
        }),
      }),
      {
        minItems: 2,
        maxItems: 16,
        description: "Splits the arena by rating on its ladder: one arena per tier, each with its own line.",
      },
    ),
  ),
  ...optional(changeable),
  title: changeable.title,
});
export type NewArena = Type.Static<typeof NewArena>;

export const ArenaChanges = changesOf(changeable);
export type ArenaChanges = Type.Static<typeof ArenaChanges>;

const ArenaTier = Type.Object({
  name: Type.String(),
  from: orNull(Type.Number(), {
    description: "Null for the lowest tier, which has no lower bound.",
  }),
  below: orNull(Type.Number(), {
    description: "Null for the highest tier, which has no upper bound.",
  }),
});

/** What never changes in an arena, and its settings. */
const arenaFields = {
  id: Type.String({ description: "The arena's id." }),
  game: orNull(Type.String(), {
    description: "The name of the game in the catalogue; null for a game played elsewhere.",
  }),
  options: GameOptions,
  labels: Type.Array(Type.String(), { description: "The labels of the seats." }),
  lanes: Type.Array(Lane),
  ladder: orNull(Type.String(), {
    description: "The ladder on which its matches count; null for none.",
  }),
  tier: orNull(ArenaTier, {
    description: "The ratings that the arena is for; null for everyone.",
  }),
  tiers: Type.Array(
    Type.Object({ arena: Type.String({ description: "The id of its arena." }), ...ArenaTier.properties }),
    {
      description: "All tiers of the arena, including this one.",
    },
  ),
  ...changeable,
  createdBy: CreatedBy,
  createdAt: Time,
};
export const ArenaTerms = Type.Object(arenaFields);
export type ArenaTerms = Type.Static<typeof ArenaTerms>;

export const ArenaPlayer = Type.Object({
  label: Type.String(),
  person: ArenaPerson,
  streak: Type.Integer({ description: "Matches won in a row on this seat." }),
  since: Time,
});
export type ArenaPlayer = Type.Static<typeof ArenaPlayer>;

/** A row of the list of arenas. */
export const Arena = Type.Object({
  ...arenaFields,
  status: ArenaStatus,
  players: Type.Array(Type.Object({ label: Type.String(), name: Type.String(), streak: Type.Integer() })),
  waiting: Type.Integer({ description: "People in the line." }),
  matches: Type.Integer({ description: "How many matches there have been, including the current one." }),
});
export type Arena = Type.Static<typeof Arena>;

export const YourPlace = Type.Object({
  ticket: Type.Integer({
    description: "The number of your place: you get a new one each time you go to the back.",
  }),
  state: Type.Enum(["seated", "waiting"]),
  label: orNull(Type.String(), { description: "Your seat; null while you wait." }),
  position: orNull(Type.Integer(), { description: "1 is next; null on a seat." }),
  moves: Type.Array(Type.String(), { description: "The moves that you can make now." }),
});
export type YourPlace = Type.Static<typeof YourPlace>;

/** Everything that changes, as one viewer may see it (AR11, MT3). */
export const ArenaState = Type.Object({
  status: ArenaStatus,
  players: Type.Array(ArenaPlayer, { description: "The seated players, in the order of the labels." }),
  line: Type.Array(Type.Object({ position: Type.Integer(), person: ArenaPerson }), {
    description: "The first 20 people in the line.",
  }),
  waiting: Type.Integer({ description: "Total number of people in the line." }),
  match: orNull(RunningMatch),
  lastMatch: orNull(MatchResult),
  lastSight: orNull(Sight, { description: "The table at the end of the last match." }),
  you: orNull(YourPlace, { description: "Your place; null for a spectator." }),
});
export type ArenaState = Type.Static<typeof ArenaState>;

export const ArenaAtVersion = Type.Object({
  arena: ArenaTerms,
  game: orNull(ArenaGame),
  state: ArenaState,
  version: Type.Integer({ description: "The version of this state. Watch from here." }),
});
export type ArenaAtVersion = Type.Static<typeof ArenaAtVersion>;

export const ArenaTermsOnly = Type.Object({ arena: ArenaTerms });
export type ArenaTermsOnly = Type.Static<typeof ArenaTermsOnly>;

export const ArenaList = Type.Object({ arenas: Type.Array(Arena), nextCursor: NextCursor });
export type ArenaList = Type.Static<typeof ArenaList>;
export const ArenaListQuery = strictObject({ status: Type.Optional(ArenaStatus), ...page });

/** The result of joining. */
export const ArenaJoined = Type.Object({
  place: Type.Object({
    ticket: Type.Integer(),
    state: Type.Enum(["seated", "waiting"]),
    label: orNull(Type.String()),
    position: orNull(Type.Integer()),
  }),
  match: orNull(Type.String(), { description: "The match that this started, if any." }),
});
export type ArenaJoined = Type.Static<typeof ArenaJoined>;

export const ArenaLeft = Type.Object({ ticket: Type.Integer() });
export type ArenaLeft = Type.Static<typeof ArenaLeft>;

/** All of an arena at once. */
export type ArenaViewMessage = ArenaAtVersion & { readonly type: "view" };

/**
 * One entry. Only the newest has `state`, with the parts that may have changed: after a move the match, and `you` if
 * you play. Parts that are missing have not changed. After catching up, a view of the whole follows.
 */
export interface ArenaChangeMessage {
  readonly type: "change";
  readonly version: number;
  readonly arena: string;
  readonly at: string;
  readonly changes: readonly ArenaChange[];
  readonly state?: Partial<ArenaState>;
}
