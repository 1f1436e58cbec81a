import Type from "typebox";
import type { LadderChange } from "./changes.ts";
import {
  ChosenId,
  CreatedBy,
  Cursor,
  changesOf,
  day,
  Limit,
  NextCursor,
  optional,
  orNull,
  seconds,
  shortText,
  strictObject,
  Time,
  UserId,
} from "./common.ts";

const title = shortText(100);

export const PlayerName = Type.String({
  ...title,
  description: "Shown to others, up to 40 characters of it.",
});

/** Settings that can be changed at any time, in addition to the title. */
const options = {
  open: Type.Boolean({ description: "Whether people can join without an invitation." }),
  confirm: Type.Boolean({
    description:
      "Whether a match that a player reports counts only once the opponent has confirmed it. Default: true on open ladders created by a person, otherwise false.",
  }),
  confirmWindowSeconds: seconds(60, 30 * day, {
    description: "Matches that are not confirmed within this time lapse.",
  }),
  undoWindowSeconds: seconds(0, 30 * day, {
    description: "How long the person who reported a match can void it.",
  }),
  duels: Type.Boolean({ description: "Whether duels count here if both players want it." }),
};

const Rating = Type.Number({ minimum: 0, maximum: 10_000 });

/** How matches are rated; never changes. */
const rating = {
  system: Type.Enum(["elo", "glicko2"], {
    description: "Elo, or Glicko-2 with one rating period per match.",
  }),
  startRating: Type.Number({ ...Rating, description: "The rating of new players." }),
  floor: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description:
      "Ratings never fall below this. A whole number, because rounding could fall below a fraction.",
  }),
  k: Type.Array(
    strictObject({
      from: Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: "From this number of matches played.",
      }),
      k: Type.Number({ minimum: 1, maximum: 200 }),
    }),
    {
      minItems: 1,
      maxItems: 10,
      description: "Elo: K by matches played, in ascending order. The first step is from 0.",
    },
  ),
  curve: Type.Enum(["logistic", "fide"], {
    description:
      "Elo: how the expected score follows from the rating difference: by the formula or by FIDE's table.",
  }),
  provisionalGames: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description: "Elo: a rating is provisional before this many matches.",
  }),
  startDeviation: Type.Number({ minimum: 30, maximum: 500, description: "Glicko-2: for new players." }),
  startVolatility: Type.Number({ minimum: 0.01, maximum: 0.2, description: "Glicko-2: for new players." }),
  tau: Type.Number({
    minimum: 0.2,
    maximum: 1.2,
    description: "Glicko-2: how much the volatility may change.",
  }),
  provisionalDeviation: Type.Number({
    minimum: 30,
    maximum: 500,
    description: "Glicko-2: a rating is provisional while its deviation is greater.",
  }),
};

export const NewLadder = strictObject({
  id: Type.Optional(ChosenId),
  title,
  ...optional(rating),
  ...optional(options),
});
export type NewLadder = Type.Static<typeof NewLadder>;

export const LadderChanges = changesOf({ title, ...options });
export type LadderChanges = Type.Static<typeof LadderChanges>;

/** What never changes on a ladder, and its settings. */
const termsFields = {
  id: Type.String({ description: "The ladder's id." }),
  title,
  ...options,
  system: rating.system,
  startRating: rating.startRating,
  floor: rating.floor,
  // Settings of the other rating system are null.
  k: orNull(rating.k),
  curve: orNull(rating.curve),
  provisionalGames: orNull(rating.provisionalGames),
  startDeviation: orNull(rating.startDeviation),
  startVolatility: orNull(rating.startVolatility),
  tau: orNull(rating.tau),
  provisionalDeviation: orNull(rating.provisionalDeviation),
  createdBy: CreatedBy,
  createdAt: Time,
};
export const LadderTerms = Type.Object(termsFields);
export type LadderTerms = Type.Static<typeof LadderTerms>;
export const LadderTermsOnly = Type.Object({ ladder: LadderTerms });
export type LadderTermsOnly = Type.Static<typeof LadderTermsOnly>;

const LadderStatus = Type.Enum(["OPEN", "CLOSED", "ENDED"], {
  description:
    "OPEN: anyone can join. CLOSED: its organisers add players. ENDED: its creator or an operator ended it, or it was not used within a week of its creation.",
});

export const Ladder = Type.Object({
  ...termsFields,
  status: LadderStatus,
  players: Type.Integer({ description: "Players on the ladder now." }),
  matches: Type.Integer({ description: "Matches that count." }),
  pending: Type.Integer({ description: "Matches that wait for confirmation." }),
});
export type Ladder = Type.Static<typeof Ladder>;

export const LadderPlayer = Type.Object({
  number: Type.Integer({
    description: "1, 2, 3… in the order of joining. Live messages use it to name players.",
  }),
  userId: Type.String(),
  name: Type.String({ description: "The player's name when they joined." }),
  rank: orNull(Type.Integer(), {
    description:
      "One more than the number of those rated higher: equals share a rank. Null for a player who has left.",
  }),
  rating: Type.Number({ description: "With full precision; show people a whole number." }),
  deviation: orNull(Type.Number(), { description: "Glicko-2; null with Elo." }),
  volatility: orNull(Type.Number(), { description: "Glicko-2; null with Elo." }),
  provisional: Type.Boolean({ description: "Whether the rating is still uncertain." }),
  games: Type.Integer(),
  wins: Type.Integer(),
  draws: Type.Integer(),
  losses: Type.Integer(),
  version: Type.Integer({ description: "How often the rating has changed." }),
  enrolledAt: Time,
  leftAt: orNull(Time),
  banned: Type.Boolean({
    description: "Whether the player is banned from the ladder and cannot join again.",
  }),
});
export type LadderPlayer = Type.Static<typeof LadderPlayer>;
export const LadderPlayerOnly = Type.Object({ player: LadderPlayer });
export type LadderPlayerOnly = Type.Static<typeof LadderPlayerOnly>;

export const LadderAtVersion = Type.Object({
  ladder: Ladder,
  you: orNull(LadderPlayer, { description: "Your own standing; null if you are not a player." }),
  version: Type.Integer({ description: "Watch from this version." }),
});
export type LadderAtVersion = Type.Static<typeof LadderAtVersion>;

const LadderSummary = Type.Object({
  ...termsFields,
  status: LadderStatus,
  players: Type.Integer(),
  matches: Type.Integer(),
  leader: orNull(Type.Object({ name: Type.String(), rating: Type.Number() })),
});
export const LadderList = Type.Object({ ladders: Type.Array(LadderSummary), nextCursor: NextCursor });
export type LadderList = Type.Static<typeof LadderList>;
export const LadderListQuery = strictObject({
  status: Type.Optional(LadderStatus),
  cursor: Type.Optional(Cursor),
  limit: Limit,
});

export const Enrolment = strictObject({
  userId: UserId,
  name: Type.Optional(PlayerName),
  rating: Type.Optional(Type.Number({ ...Rating, description: "Default: the ladder's starting rating." })),
});
export type Enrolment = Type.Static<typeof Enrolment>;

/** The answer to joining or leaving: the player's fixed fields, and what the entry itself has. */
export const Enrolled = Type.Object({
  player: Type.Object({
    userId: Type.String(),
    name: Type.String(),
    rating: orNull(Type.Number(), {
      description: "Null for a player who comes back with their old rating.",
    }),
  }),
});
export type Enrolled = Type.Static<typeof Enrolled>;
export const PlayerLeft = Type.Object({ userId: Type.String() });
export type PlayerLeft = Type.Static<typeof PlayerLeft>;
export const PlayerBanned = Type.Object({ userId: Type.String(), banned: Type.Boolean() });
export type PlayerBanned = Type.Static<typeof PlayerBanned>;

const StandingsCursor = Type.String({
  pattern: "^-?[0-9.e+-]{1,30}_[0-9]{1,10}$",
  description: "`nextCursor` of the previous page.",
});
export const StandingsQuery = strictObject({
  cursor: Type.Optional(StandingsCursor),
  from: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      description: "Start at this place, counted from 1.",
    }),
  ),
  limit: Limit,
});
export const Standings = Type.Object({
  players: Type.Array(LadderPlayer, { description: "By rating, best first." }),
  nextCursor: NextCursor,
});
export type Standings = Type.Static<typeof Standings>;

export const PlayerSearch = strictObject({
  search: Type.String({ minLength: 1, maxLength: 100, description: "The beginning of the name." }),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 10 }),
});
export const PlayersFound = Type.Object({ players: Type.Array(LadderPlayer) });
export type PlayersFound = Type.Static<typeof PlayersFound>;

export const LadderExportQuery = strictObject({
  what: Type.Enum(["standings", "matches", "history"]),
  format: Type.Enum(["csv", "json"]),
  player: Type.Optional(Type.String({ ...UserId, description: "The player whose history to export." })),
});
export type LadderExportQuery = Type.Static<typeof LadderExportQuery>;

/** Past matches, oldest first. Enrols players who are not on the ladder. */
export const NewImport = strictObject({
  matches: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: 100_000,
    description: "Each one is `{players, scores, names?, at?}`, in the order in which they were played.",
  }),
});
export const LadderImport = Type.Object({
  import: Type.Object({
    id: Type.String({ description: "Derived from the rows: the same file gives the same import." }),
    rows: Type.Integer(),
    done: Type.Integer({ description: "Rows counted so far." }),
    status: Type.Enum(["running", "done"]),
    begunAt: Time,
    changedAt: Time,
  }),
});
export type LadderImport = Type.Static<typeof LadderImport>;

export interface LadderViewMessage {
  readonly type: "view";
  readonly version: number;
  readonly ladder: Ladder;
}
export interface LadderChangeMessage {
  readonly type: "change";
  readonly version: number;
  /** The ladder's id. */
  readonly ladder: string;
  readonly at: string;
  readonly changes: readonly LadderChange[];
}
