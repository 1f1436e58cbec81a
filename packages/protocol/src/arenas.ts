import Type from "typebox";
import { ChosenId, CreatedBy, Cursor, formerName, Id, Limit, NextCursor, Time } from "./common.ts";
import { Lane } from "./queues.ts";

const strict = { additionalProperties: false } as const;

export const ArenaStatus = Type.Enum(["WAITING", "PLAYING", "ENDED"], {
  description:
    "WAITING: for players. PLAYING: a match is on. ENDED: for good, by its maker or an operator, or because nobody came for a week after it was made.",
});

const seconds = (minimum: number, maximum: number) => Type.Number({ minimum, maximum, multipleOf: 1 });
const day = 86_400;

const DrawRule = Type.Enum(["longest-leaves", "rematch", "both-leave"], {
  description: "After a draw: who has sat longest goes to the back; the same play again; all go to the back.",
});

/** What may be changed at any time. The turn that is on keeps its clock; all else goes on by it. */
const changeable = {
  title: Type.String({
    maxLength: 100,
    pattern: "^(?=.*\\S)[^\\p{Cc}]+$",
    description: "1 to 100 characters, not all of them spaces.",
  }),
  seats: Type.Integer({
    minimum: 2,
    maximum: 16,
    description:
      "How many play at once. Games of the catalogue say it themselves; lowering it sends nobody away.",
  }),
  drawRule: DrawRule,
  maxWins: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()], {
    description: "After so many wins in a row a player goes to the back too; null for never.",
  }),
  moveTimeoutSeconds: Type.Union([seconds(1, day), Type.Null()], {
    description:
      "How long a turn may take; null for no clock. For games played elsewhere: how long a match may.",
  }),
  reconnectGraceSeconds: Type.Union([seconds(1, 3_600), Type.Null()], {
    description: "How long a player who is not heard of keeps the seat; null for ever.",
  }),
  heartbeatTimeoutSeconds: seconds(5, 3_600),
  maxWaiting: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: "The longest that the line may get.",
  }),
  patienceSeconds: Type.Number({
    minimum: 0,
    maximum: day,
    multipleOf: 1,
    description: "Nobody who has waited longer than this is overtaken.",
  }),
};

const GameOptions = Type.Record(Type.String({ pattern: "^[a-zA-Z]{1,32}$" }), Type.Integer(), {
  maxProperties: 8,
  description: "What the game lets one choose, such as `bestOf`.",
});

export const NewArena = Type.Object(
  {
    id: Type.Optional(ChosenId),
    game: Type.Union([Type.String({ pattern: "^[a-z0-9-]{1,64}$" }), Type.Null()], {
      description: "A game of the catalogue, by its name; null for one that is played elsewhere.",
      examples: ["tic-tac-toe"],
    }),
    options: Type.Optional(GameOptions),
    labels: Type.Optional(
      Type.Array(Type.String({ pattern: "^[\\x21-\\x7e]{1,12}$" }), {
        minItems: 2,
        maxItems: 16,
        uniqueItems: true,
        description: "The labels of the seats of a game played elsewhere; 1 and 2 unless given.",
      }),
    ),
    lanes: Type.Optional(
      Type.Array(Lane, { minItems: 1, maxItems: 16, description: "Unless given there is one for all." }),
    ),
    ladder: Type.Optional(
      Type.String({
        ...Id,
        description: "The ladder on which its matches count; only for whoever may manage that.",
      }),
    ),
    tiers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({
              maxLength: 40,
              pattern: "^(?=.*\\S)[^\\p{Cc}]+$",
              description: "1 to 40 characters, not all of them spaces.",
            }),
            from: Type.Number({
              minimum: 0,
              maximum: 10_000,
              description: "The rating from which one plays here. The first tier is also for all below.",
            }),
          },
          strict,
        ),
        {
          minItems: 2,
          maxItems: 16,
          description: "Splits the arena by rating on its ladder: one arena a tier, each with its own line.",
        },
      ),
    ),
    title: changeable.title,
    seats: Type.Optional(changeable.seats),
    drawRule: Type.Optional(changeable.drawRule),
    maxWins: Type.Optional(changeable.maxWins),
    moveTimeoutSeconds: Type.Optional(changeable.moveTimeoutSeconds),
    reconnectGraceSeconds: Type.Optional(changeable.reconnectGraceSeconds),
    heartbeatTimeoutSeconds: Type.Optional(changeable.heartbeatTimeoutSeconds),
    maxWaiting: Type.Optional(changeable.maxWaiting),
    patienceSeconds: Type.Optional(changeable.patienceSeconds),
  },
  strict,
);
export type NewArena = Type.Static<typeof NewArena>;

export const ArenaChanges = Type.Partial(Type.Object(changeable), { ...strict, minProperties: 1 });
export type ArenaChanges = Type.Static<typeof ArenaChanges>;

/** How a game of the catalogue is laid out: enough to draw it and to name every move. */
export const ArenaGame = Type.Object({
  name: Type.String({ description: "Its name in the catalogue." }),
  title: Type.String(),
  summary: Type.String({ description: "How it is won." }),
  columns: Type.Integer({ description: "Cells in a row; 0 for a game without a board." }),
  cells: Type.Array(Type.Object({ name: Type.String(), move: Type.String() }), {
    description: "Row by row: what each cell is called, and the move that playing on it makes.",
  }),
  choices: Type.Array(Type.Object({ move: Type.String(), name: Type.String(), symbol: Type.String() }), {
    description: "Moves that are not made on a cell.",
  }),
  isSecret: Type.Boolean({ description: "Whether moves are shown only when all are in." }),
});
export type ArenaGame = Type.Static<typeof ArenaGame>;

const ArenaTier = Type.Object({
  name: Type.String(),
  from: Type.Union([Type.Number(), Type.Null()], {
    description: "Null for the lowest: it has no bound below.",
  }),
  below: Type.Union([Type.Number(), Type.Null()], {
    description: "Null for the highest: it has no bound above.",
  }),
});

/** What never changes in an arena, and its settings. */
const arenaFields = {
  id: Type.String({ description: "The arena's id." }),
  game: Type.Union([Type.String(), Type.Null()], {
    description: "The name of the game in the catalogue; null for one that is played elsewhere.",
  }),
  options: GameOptions,
  labels: Type.Array(Type.String(), { description: "The labels of the seats." }),
  lanes: Type.Array(Lane),
  ladder: Type.Union([Type.String(), Type.Null()], {
    description: "The ladder on which its matches count; null for none.",
  }),
  tier: Type.Union([ArenaTier, Type.Null()], {
    description: "Whom it is for, of an arena that is split by rating; null for one that is for everyone.",
  }),
  tiers: Type.Array(
    Type.Object({ arena: Type.String({ description: "The id of its arena." }), ...ArenaTier.properties }),
    {
      description: "All its tiers, this one included.",
    },
  ),
  ...changeable,
  createdBy: CreatedBy,
  createdAt: Time,
};
export const ArenaTerms = Type.Object(arenaFields);
export type ArenaTerms = Type.Static<typeof ArenaTerms>;

const Person = Type.Object({
  userId: Type.String({ description: "How the log names them." }),
  id: formerName(Type.String(), "userId"),
  name: Type.String({ description: "What they called themselves when they came." }),
});

export const ArenaPlayer = Type.Object({
  label: Type.String(),
  person: Person,
  streak: Type.Integer({ description: "Matches won in a row on this seat." }),
  since: Time,
});
export type ArenaPlayer = Type.Static<typeof ArenaPlayer>;

/** A row of the list of arenas. */
export const Arena = Type.Object({
  ...arenaFields,
  status: ArenaStatus,
  players: Type.Array(Type.Object({ label: Type.String(), name: Type.String(), streak: Type.Integer() })),
  waiting: Type.Integer({ description: "How many are in the line." }),
  matches: Type.Integer({ description: "How many matches there have been, the one that is on included." }),
});
export type Arena = Type.Static<typeof Arena>;

export const Sight = Type.Object({
  cells: Type.Array(Type.Union([Type.String(), Type.Null()]), {
    description: "What lies on each cell: a label, or null.",
  }),
  marked: Type.Array(Type.Integer(), {
    description: "Cells to stress: the last move, the line that has won.",
  }),
  score: Type.Array(Type.Integer(), { description: "By seat; empty where a game counts nothing." }),
  notes: Type.Array(Type.String(), { description: "What there is to tell in words, the newest last." }),
  rounds: Type.Optional(
    Type.Array(
      Type.Object({
        number: Type.Integer(),
        chosen: Type.Array(Type.String(), { description: "By seat." }),
        winner: Type.Union([Type.Integer(), Type.Null()], { description: "The seat; null for nobody." }),
      }),
      { description: "Where all choose at once: the rounds that are over, the newest last." },
    ),
  ),
  chosen: Type.Union([Type.String(), Type.Null()], {
    description: "Your move that nobody else knows of yet.",
  }),
});
export type Sight = Type.Static<typeof Sight>;

export const RunningMatch = Type.Object({
  id: Type.String({
    description: "To be given with each move: a late one then cannot land in the next match.",
  }),
  number: Type.Integer({ description: "The first match of the arena is 1." }),
  startedAt: Time,
  turn: Type.Union([Type.Integer(), Type.Null()], {
    description:
      "To be given with each move: the first turn is 1. Where several move at once, it is the round. Null for a game played elsewhere.",
  }),
  toMove: Type.Array(Type.String(), { description: "The labels whose turn it is." }),
  moveBy: Type.Union([Time, Type.Null()], { description: "When the turn runs out." }),
  moves: Type.Integer({ description: "How many have been made." }),
  sight: Type.Union([Sight, Type.Null()], { description: "The table; null for a game played elsewhere." }),
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
      "By the rules; given up; a player left, was not heard of, or ran out of time; a service said so; nobody said so in time; too many moves; the arena ended.",
  },
);

export const MatchResult = Type.Object({
  id: Type.String(),
  number: Type.Integer(),
  startedAt: Time,
  endedAt: Time,
  winner: Type.Union([Type.String(), Type.Null()], { description: "The label that won; null for a draw." }),
  reason: EndReason,
  players: Type.Array(Type.Object({ label: Type.String(), person: Person })),
  moves: Type.Integer(),
});
export type MatchResult = Type.Static<typeof MatchResult>;

export const YourPlace = Type.Object({
  ticket: Type.Integer({ description: "The number of your place: a new one each time you go to the back." }),
  state: Type.Enum(["seated", "waiting"]),
  label: Type.Union([Type.String(), Type.Null()], { description: "Your seat; null while you wait." }),
  position: Type.Union([Type.Integer(), Type.Null()], { description: "1 is next; null on a seat." }),
  moves: Type.Array(Type.String(), { description: "What you may play now." }),
});
export type YourPlace = Type.Static<typeof YourPlace>;

/** All that changes, as one viewer may see it (AR11, MT3). */
export const ArenaState = Type.Object({
  status: ArenaStatus,
  players: Type.Array(ArenaPlayer, { description: "Those on seats, in the order of the labels." }),
  line: Type.Array(Type.Object({ position: Type.Integer(), person: Person }), {
    description: "The first 20 of the line.",
  }),
  waiting: Type.Integer({ description: "How many are in the line in all." }),
  match: Type.Union([RunningMatch, Type.Null()]),
  lastMatch: Type.Union([MatchResult, Type.Null()]),
  lastSight: Type.Union([Sight, Type.Null()], { description: "The table as the last match left it." }),
  you: Type.Union([YourPlace, Type.Null()], { description: "Your place; null for a spectator." }),
});
export type ArenaState = Type.Static<typeof ArenaState>;

export const ArenaAtVersion = Type.Object({
  arena: ArenaTerms,
  game: Type.Union([ArenaGame, Type.Null()]),
  state: ArenaState,
  version: Type.Integer({ description: "The version that this is true of; watching can go on from it." }),
});
export type ArenaAtVersion = Type.Static<typeof ArenaAtVersion>;

export const ArenaTermsOnly = Type.Object({ arena: ArenaTerms });
export type ArenaTermsOnly = Type.Static<typeof ArenaTermsOnly>;

export const ArenaList = Type.Object({ arenas: Type.Array(Arena), nextCursor: NextCursor });
export type ArenaList = Type.Static<typeof ArenaList>;
export const ArenaListQuery = Type.Object(
  { status: Type.Optional(ArenaStatus), cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) },
  strict,
);

/** What joining led to. */
export const ArenaJoined = Type.Object({
  place: Type.Object({
    ticket: Type.Integer(),
    state: Type.Enum(["seated", "waiting"]),
    label: Type.Union([Type.String(), Type.Null()]),
    position: Type.Union([Type.Integer(), Type.Null()]),
  }),
  match: Type.Union([Type.String(), Type.Null()], { description: "The match that this began, if it did." }),
});
export type ArenaJoined = Type.Static<typeof ArenaJoined>;

export const ArenaLeft = Type.Object({ ticket: Type.Integer() });
export type ArenaLeft = Type.Static<typeof ArenaLeft>;

const MatchId = Type.String({
  pattern: "^[0-9]{1,15}$",
  description: "1 to 15 digits: the id of the match that this is about, as `state.match.id` has it.",
});

export const NewMove = Type.Object(
  {
    match: MatchId,
    turn: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description:
          "The turn that the move is for, as `state.match.turn` has it: a repeat then cannot count in the next. Without it, you can make each move once per match.",
      }),
    ),
    move: Type.String({
      pattern: "^[\\x21-\\x7e]{1,32}$",
      description: "1 to 32 printable characters without spaces: a move, as the game names it.",
    }),
  },
  strict,
);
export type NewMove = Type.Static<typeof NewMove>;

export const Resignation = Type.Object({ match: MatchId }, strict);
export type Resignation = Type.Static<typeof Resignation>;

export const NewResult = Type.Object(
  {
    match: MatchId,
    winner: Type.Union([Type.String({ maxLength: 12 }), Type.Null()], {
      description: "The label that has won; null for a draw.",
    }),
  },
  strict,
);
export type NewResult = Type.Static<typeof NewResult>;

/** What a move, a resignation or a report led to. */
export const MoveMade = Type.Object({
  match: Type.String(),
  label: Type.Union([Type.String(), Type.Null()], { description: "The seat that moved, if one did." }),
  move: Type.Union([Type.String(), Type.Null()]),
  result: Type.Union([MatchResult, Type.Null()], { description: "When this ended the match." }),
});
export type MoveMade = Type.Static<typeof MoveMade>;

export const MatchList = Type.Object({ matches: Type.Array(MatchResult), nextCursor: NextCursor });
export type MatchList = Type.Static<typeof MatchList>;
export const MatchListQuery = Type.Object(
  { cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) },
  strict,
);

/** A finished match from its first move to its last (MT4). */
export const Replay = Type.Object({
  match: MatchResult,
  game: Type.Union([ArenaGame, Type.Null()]),
  start: Type.Union([Sight, Type.Null()], { description: "The table before the first move." }),
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

interface ChangeOfPerson {
  readonly userId: string;
  /** @deprecated The former name of `userId`. */
  readonly person: string;
}

/** What an entry of the log means to those who watch the arena, in order. */
export type ArenaChange =
  | ({ readonly type: "entered"; readonly position: number } & ChangeOfPerson)
  | ({ readonly type: "seated"; readonly label: string } & ChangeOfPerson)
  | ({ readonly type: "left"; readonly reason: string } & ChangeOfPerson)
  | { readonly type: "match-started"; readonly match: string; readonly number: number }
  /** `move` is null where moves are secret. */
  | { readonly type: "moved"; readonly label: string; readonly move: string | null }
  | { readonly type: "match-ended"; readonly result: MatchResult }
  | { readonly type: "clock-restarted"; readonly moveBy: string | null }
  | { readonly type: "settings-changed"; readonly arena: ArenaTerms }
  | { readonly type: "arena-ended"; readonly reason: "unused" | "ended_by_hand" };

/** All of an arena at once. */
export type ArenaViewMessage = ArenaAtVersion & { readonly type: "view" };

/**
 * One entry. `state` comes with the newest only, and has what may have changed by it: after a move the match, and `you` if
 * you play; whatever is not in it is as it was. Whoever catches up is shown the whole at the end.
 */
export interface ArenaChangeMessage {
  readonly type: "change";
  readonly version: number;
  readonly arena: string;
  readonly at: string;
  readonly changes: readonly ArenaChange[];
  readonly state?: Partial<ArenaState>;
}
