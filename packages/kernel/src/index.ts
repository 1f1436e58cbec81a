export type { ArenaCommand } from "./arena/commands.ts";
export { arenaDecider } from "./arena/decider.ts";
export type { ArenaEvent, Ended, Started } from "./arena/events.ts";
export { arenaLimits } from "./arena/limits.ts";
export { type ArenaPlace, frontOf, movesOf, placeIn, sightIn } from "./arena/questions.ts";
export { arenaExists, arenaNotFound } from "./arena/refusals.ts";
export {
  type ArenaRoom,
  type ArenaSettings,
  type ArenaStatus,
  type ArenaTerms,
  arenaStatusOf,
  type FinishedMatch,
  type MatchId,
  type RatedTerms,
} from "./arena/state.ts";
export { isForLadder, understand } from "./chat/grammar.ts";
export { folded, nicknameFrom } from "./chat/nicknames.ts";
export { TextTable } from "./collections/text-table.ts";
export {
  type ConversationCommand,
  type ConversationEvent,
  conversationDecider,
} from "./conversation/decider.ts";
export { conversationLimits } from "./conversation/limits.ts";
export type { Conversation, Line as ConversationLine } from "./conversation/state.ts";
export type {
  Column,
  Decider,
  Decision,
  Delivery,
  Effect,
  Inbox,
  Keys,
  Lease,
  Listing,
  Presence,
  Recorded,
  Rows,
  RunningClock,
  Saved,
  Snapshots,
} from "./decider.ts";
export type { DirectoryCommand, HandleMessage, LadderMeant } from "./directory/commands.ts";
export { directoryDecider } from "./directory/decider.ts";
export type { DirectoryEvent } from "./directory/events.ts";
export { directoryLimits } from "./directory/limits.ts";
export { type DuelSeen, duelSeenBy, duelsOf, groupsBefore, ladderMeant } from "./directory/questions.ts";
export { duelNotFound, ladderTakesNoDuels, nicknameMissing, nobodyCalled } from "./directory/refusals.ts";
export { type ConversationNumber, type Directory, nameOf, personCalled } from "./directory/state.ts";
export { type Duel, type DuelNumber, type DuelSeat, type FinishedDuel, otherSeat } from "./duel/duel.ts";
export { duelLimits } from "./duel/limits.ts";
export type { GameCommand } from "./game/commands.ts";
export { gameDecider } from "./game/decider.ts";
export type { GameEvent } from "./game/events.ts";
export {
  leasedTicketOf,
  obstaclesToJoining,
  placeOf,
  placesAfter,
  positionOf,
  presentAfter,
  seatedIn,
} from "./game/questions.ts";
export { gameNotFound, notAParticipant, reasonAgainstJoining } from "./game/refusals.ts";
export { type GameRoom, type GameStatus, type GameTerms, statusFrom, statusOf } from "./game/state.ts";
export type { Asker, ImportRow, LadderCommand } from "./ladder/commands.ts";
export { ladderDecider } from "./ladder/decider.ts";
export type { Counted, LadderEvent } from "./ladder/events.ts";
export { ladderLimits } from "./ladder/limits.ts";
export type { MatchStatus } from "./ladder/matches/match-statuses.ts";
export {
  isBanned,
  isPlayer,
  ladderStatusOf,
  mayManage,
  playerCalled,
  type Standing,
  standingOf,
  standingsAfter,
  takesDuels,
} from "./ladder/questions.ts";
export type { RatingTerms } from "./ladder/ratings/rating.ts";
export {
  ladderEnded,
  ladderMatchNotFound,
  ladderNotFound,
  notTheirLadder,
  playerBanned,
  playerNotFound,
  samePlayer,
} from "./ladder/refusals.ts";
export type {
  LadderRows,
  MatchRow,
  PlayerRow,
  RatingRow,
  RecountRow,
  StandingRow,
  StatusRow,
} from "./ladder/rows.ts";
export type { StandingsCursor } from "./ladder/standings.ts";
export type {
  CountOrder,
  ImportProgress,
  Ladder,
  LadderSettings,
  LadderTerms,
  MatchNumber,
  PlayerNumber,
  Reporter,
} from "./ladder/state.ts";
export { defaultLanes, type Lane } from "./line/lanes.ts";
export { Line } from "./line/line.ts";
export { catalogue, gameNamed, RulesMissing } from "./match/catalogue.ts";
export type { AnyGame, Game, Sight } from "./match/game.ts";
export type { Hand } from "./match/games/rock-paper-scissors.ts";
export { Match } from "./match/match.ts";
export type { Arrival, QueueCommand } from "./queue/commands.ts";
export { queueDecider } from "./queue/decider.ts";
export type { QueueEvent } from "./queue/events.ts";
export {
  livePlaceIn,
  placeGone,
  type QueuePlace,
  type QueueStatistics,
  queuePlace,
  queueStatistics,
} from "./queue/questions.ts";
export { codeUsed, placeNotFound, queueNotFound } from "./queue/refusals.ts";
export {
  countsOf,
  type QueueCounts,
  type QueueRoom,
  type QueueSettings,
  type QueueStatus,
  type QueueTerms,
  queueStatusOf,
} from "./queue/state.ts";
export { type Refusal, type RefusalCode, refusals } from "./refusals.ts";
export { roomLimits } from "./room/limits.ts";
export type { Place, PlaceState } from "./room/roster.ts";
export { assert, asWord, type Both, type Millis, type PersonId, type TicketNumber } from "./values.ts";
