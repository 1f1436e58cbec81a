import Type, { type TProperties } from "typebox";
import { MatchResult } from "./arena-matches.ts";
import { ArenaTerms } from "./arenas.ts";
import { formerName, Time } from "./common.ts";
import { GameStatus } from "./games.ts";
import { Queue } from "./queues.ts";

/**
 * The changes that watchers see for an entry of the log, in order. The live protocol is documented from these schemas.
 */
function change<const Name extends string, Fields extends TProperties>(
  type: Name,
  description: string,
  fields: Fields,
) {
  return Type.Object({ type: Type.Literal(type), ...fields }, { description });
}

/** The counts after the change. */
const gameCounts = {
  currentPlayers: Type.Integer(),
  maxPlayers: Type.Integer(),
  availableSlots: Type.Integer(),
  waiting: Type.Integer(),
};

const gamePlayer = {
  player: Type.Object({ participantId: Type.String(), userId: Type.String(), name: Type.String() }),
};

export const GameChange = Type.Union([
  change("player-joined", "A person has a seat: they joined, or it was their turn in the line.", {
    ...gamePlayer,
    ...gameCounts,
  }),
  change("player-waiting", "A person is in the line.", { ...gamePlayer, ...gameCounts }),
  change("player-left", "A place is over, for `reason`.", {
    ...gamePlayer,
    ...gameCounts,
    reason: Type.Enum(["left", "cancelled", "removed", "heartbeat_timeout"], {
      description: "`left`: gave up a seat. `cancelled`: gave up a place in the line.",
    }),
  }),
  change("status-changed", "The game became OPEN, FULL or ENDED.", { ...gameCounts, status: GameStatus }),
]);
export type GameChange = Type.Static<typeof GameChange>;

const person = { userId: Type.String(), person: formerName(Type.String(), "userId") };

export const ArenaChange = Type.Union([
  change("entered", "A person is in the line: they came, or went to the back.", {
    position: Type.Integer(),
    ...person,
  }),
  change("seated", "The front of the line has a seat.", { label: Type.String(), ...person }),
  change("left", "A place is over. A person who goes to the back has an `entered` in the same change.", {
    reason: Type.String(),
    ...person,
  }),
  change("match-started", "All seats are filled.", { match: Type.String(), number: Type.Integer() }),
  change("moved", "A move was made. `move` is null where moves are secret until the round is over.", {
    label: Type.String(),
    move: Type.Union([Type.String(), Type.Null()]),
  }),
  change("match-ended", "The match is over.", { result: MatchResult }),
  change("clock-restarted", "The server was away. The player whose turn it is has the full time again.", {
    moveBy: Type.Union([Time, Type.Null()]),
  }),
  change("settings-changed", "The settings were changed.", { arena: ArenaTerms }),
  change("arena-ended", "The arena has ended.", { reason: Type.Enum(["unused", "ended_by_hand"]) }),
]);
export type ArenaChange = Type.Static<typeof ArenaChange>;

const playerNumber = { number: Type.Integer({ description: "The player's number, as in the standings." }) };
const matchId = { id: Type.String() };

/** A match in live messages: players are given by their numbers. */
export const LadderMatchNews = Type.Object({
  ...matchId,
  dispute: Type.Union([Type.String(), Type.Null()], {
    description: "The opponent's report of the same match, with another score.",
  }),
  players: Type.Array(
    Type.Object({
      ...playerNumber,
      score: Type.Number(),
      before: Type.Union([Type.Number(), Type.Null()]),
      after: Type.Union([Type.Number(), Type.Null()]),
    }),
  ),
});
export type LadderMatchNews = Type.Static<typeof LadderMatchNews>;

function changeOfPlayer<const Name extends string>(type: Name, description: string) {
  return change(type, description, { player: Type.Object(playerNumber) });
}

export const LadderChange = Type.Union([
  change("player-joined", "A new player is on the ladder.", {
    player: Type.Object({
      ...playerNumber,
      userId: Type.String(),
      name: Type.String(),
      rating: Type.Number(),
    }),
  }),
  change("player-renamed", "A player has a new name.", {
    player: Type.Object({ ...playerNumber, name: Type.String() }),
  }),
  changeOfPlayer("player-returned", "A player who had left is back, with the rating they had."),
  changeOfPlayer("player-left", "A player has left."),
  changeOfPlayer("player-banned", "A player was banned from the ladder."),
  changeOfPlayer("player-unbanned", "A player who was banned may join again."),
  change("match-counted", "A match counts, and both ratings have changed.", { match: LadderMatchNews }),
  change("match-reported", "A match waits to be confirmed.", { match: LadderMatchNews }),
  change(
    "match-voided",
    "A match does not count any more. `recounted` is how many later matches were rated again. If it is not 0, reload what you show.",
    { match: Type.Object(matchId), recounted: Type.Integer() },
  ),
  change("match-declined", "The opponent declined a match. It will not count.", {
    match: Type.Object(matchId),
  }),
  change(
    "match-lapsed",
    "A match was not confirmed in time, or was replaced by newer reports. It will not count.",
    {
      match: Type.Object(matchId),
    },
  ),
  change("import-begun", "The server has begun to count a file of past matches.", {
    import: Type.String(),
    rows: Type.Integer(),
  }),
  change("import-progress", "`done` rows of the file count by now.", {
    import: Type.String(),
    done: Type.Integer(),
  }),
  change("settings-changed", "The settings were changed.", {}),
  change("ladder-ended", "The ladder has ended.", { reason: Type.Enum(["unused", "ended_by_hand"]) }),
]);
export type LadderChange = Type.Static<typeof LadderChange>;

const positionId = { positionId: Type.String() };

export const QueueChange = Type.Union([
  change("entered", "A person is in the line.", {
    ...positionId,
    userId: Type.String(),
    lane: Type.Integer(),
    position: Type.Integer({ description: "One more than the number of people ahead." }),
  }),
  change("admitted", "It is this person's turn. The admission can be claimed until `claimBy`.", {
    ...positionId,
    claimBy: Time,
  }),
  change("claimed", "A person has come in, until `endTime` at the latest.", {
    ...positionId,
    userId: Type.String(),
    endTime: Time,
  }),
  change("completed", "A visit was completed.", positionId),
  change("left", "A person gave up a place: `cancelled` in the line, `left` after it.", {
    ...positionId,
    reason: Type.String(),
  }),
  change("expired", "A place has expired, for `reason`.", { ...positionId, reason: Type.String() }),
  change("away", "A waiting person sent no heartbeat for a while, and is passed over.", positionId),
  change("back", "A person who was away sent a heartbeat again.", positionId),
  change("settings-changed", "The waiting room was changed, paused or resumed.", { queue: Queue }),
  change("queue-ended", "The waiting room has ended, and every place in it.", {}),
]);
export type QueueChange = Type.Static<typeof QueueChange>;
