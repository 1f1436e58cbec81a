export { Cursor, Failure, Id, IdempotencyKey, Limit, Success, Time } from "./common.ts";
export {
  CanJoin,
  Game,
  GameAtVersion,
  GameList,
  GameListQuery,
  GameOnly,
  GameStatus,
  Joined,
  NewGame,
  Participant,
  ParticipantList,
  ParticipantListQuery,
} from "./games.ts";
export { Guest, NewGuest } from "./guests.ts";
export { type ClientMessage, clientMessages, type GameChange } from "./live.ts";
export {
  Claiming,
  Entering,
  Lane,
  NewQueue,
  PlaceId,
  Position,
  PositionDetails,
  PositionDetailsOnly,
  PositionLeft,
  PositionOnly,
  Queue,
  QueueChanges,
  QueueList,
  QueueListQuery,
  QueueOnly,
  QueueStats,
  QueueStatsOnly,
  QueueStatus,
  Session,
  SessionOnly,
} from "./queues.ts";
