export { TextTable } from "./collections/text-table.ts";
export type { Column, Decider, Lease, Listing, Saved } from "./decider.ts";
export type { GameCommand } from "./game/commands.ts";
export { gameDecider } from "./game/decider.ts";
export type { GameEvent } from "./game/events.ts";
export { type GameRoom, type GameStatus, type GameTerms, statusFrom, statusOf } from "./game/game.ts";
export { obstaclesToJoining, placeOf, placesAfter, positionOf } from "./game/questions.ts";
export { gameNotFound } from "./game/refusals.ts";
export { Line } from "./line/line.ts";
export type { Arrival, QueueCommand } from "./queue/commands.ts";
export { queueDecider } from "./queue/decider.ts";
export type { QueueEvent } from "./queue/events.ts";
export { defaultLanes, type Lane } from "./queue/lanes.ts";
export {
  livePlaceIn,
  placeGone,
  type QueuePlace,
  type QueueStatistics,
  queuePlace,
  queueStatistics,
} from "./queue/questions.ts";
export {
  countsOf,
  type QueueCounts,
  type QueueRoom,
  type QueueSettings,
  type QueueStatus,
  type QueueTerms,
  queueStatusOf,
} from "./queue/queue.ts";
export { placeNotFound, queueNotFound } from "./queue/refusals.ts";
export { type Refusal, type RefusalCode, refusals } from "./refusals.ts";
export { roomLimits } from "./room/limits.ts";
export type { Place, PlaceState } from "./room/roster.ts";
export { assert, type Millis, type PersonId, type TicketNumber } from "./values.ts";
