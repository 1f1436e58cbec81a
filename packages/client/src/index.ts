export type {
  Arena,
  ArenaAtVersion,
  ArenaChange,
  ArenaGame,
  ArenaPlayer,
  ArenaState,
  ArenaTerms,
  CanJoin,
  ChatReply,
  Conversation,
  ConversationLine,
  Duel,
  DuelList,
  Game,
  GameChange,
  Hand,
  HeadToHead,
  Joined,
  Ladder,
  LadderChange,
  LadderImport,
  LadderMatch,
  LadderPlayer,
  LadderTerms,
  MatchResult,
  MoveMade,
  NewArena,
  NewChatMessage,
  NewDuel,
  NewGame,
  NewLadder,
  NewLadderMatch,
  NewQueue,
  NewThrow,
  OwnPlace,
  Participant,
  Position,
  PositionDetails,
  Queue,
  QueueChange,
  QueueChanges,
  QueueStats,
  RatingStep,
  Replay,
  RunningMatch,
  Session,
  Sight,
  YourPlace,
} from "@openseat/protocol";
export type { ArenaHandle, ArenaPlace, Arenas, ArenaUpdate } from "./arena.ts";
export type { AllSaid, Chat, ChatUpdate, FailedMessage, LineSaid } from "./chat.ts";
export type { DuelHandle, Duels } from "./duels.ts";
export type { ClientCode, ErrorCode, RefusalCode } from "./error-codes.ts";
export { OpenseatError } from "./errors.ts";
export type { GameHandle, Games, GameUpdate } from "./game.ts";
export type { Page, PageQuery } from "./http/paging.ts";
export type { Person, PersonChange } from "./identity/identity.ts";
export type { Storage } from "./identity/storage.ts";
export type {
  Enrolled,
  LadderAtVersion,
  LadderHandle,
  LadderSummary,
  Ladders,
  LadderUpdate,
  MatchMade,
  MatchSettled,
  PastMatch,
} from "./ladder.ts";
export type { Connection } from "./live/live-socket.ts";
export { Openseat, type OpenseatOptions } from "./openseat.ts";
export type { People, PersonCalled } from "./people.ts";
export { newKey } from "./platform.ts";
export type { Place } from "./queue/place.ts";
export type { PlaceState, PlaceStatus } from "./queue/place-state.ts";
export type { EnterForOptions, EnterOptions, QueueHandle, Queues, QueueUpdate } from "./queue/queue.ts";
export type { QueueSession } from "./queue/session.ts";
