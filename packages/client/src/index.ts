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
  NewThrow,
  OwnPlace,
  Participant,
  Queue,
  QueueChange,
  RatingStep,
  Replay,
  RunningMatch,
  Sight,
  YourPlace,
} from "@openseat/protocol";
export type { ArenaHandle, ArenaPlace, Arenas } from "./arena.ts";
export type { AllSaid, ChatHandle, FailedMessage, LineSaid } from "./chat.ts";
export type { DuelsHandle } from "./duels.ts";
export { OpenseatError } from "./errors.ts";
export type { GameHandle, Games } from "./game.ts";
export type { Page, PageQuery } from "./http/paging.ts";
export type { Person, PersonChange } from "./identity.ts";
export type {
  LadderAtVersion,
  LadderHandle,
  LadderSummary,
  Ladders,
  MatchMade,
  MatchSettled,
  PastMatch,
} from "./ladder.ts";
export type { Connection } from "./live/live-socket.ts";
export { Openseat, type OpenseatOptions } from "./openseat.ts";
export type { People, PersonCalled } from "./people.ts";
export { newKey } from "./platform.ts";
export type { QueueHandle, Queues } from "./queue.ts";
export type { Storage } from "./storage.ts";
