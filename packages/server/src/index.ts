/** The parts of the server that the simulator and other programs of this repository use. */

export { Matches } from "./app/arenas/matches.ts";
export type { Channel } from "./app/chat/channel.ts";
export { channelSendersOf } from "./app/chat/channel-senders.ts";
export { Chat } from "./app/chat/chat.ts";
export { TheDirectory } from "./app/directory.ts";
export type { Result } from "./app/result.ts";
export { type Clock, SteadyTime, systemClock, type Timer } from "./clock.ts";
export { Hub } from "./feed/hub.ts";
export { type FeedMessage, type Lens, type Subscriber, type Viewer, watchLimits } from "./feed/watch.ts";
export { Host } from "./host/host.ts";
export type { ChannelSender, Sending } from "./host/outbox/channel-sender.ts";
export type { Ask } from "./host/stream/asks.ts";
export { decodeSnapshot, encodeSnapshot } from "./host/stream/snapshot-format.ts";
export type { Streams } from "./host/streams.ts";
export { type CommitOutcome, commitAsOwner, type Decide, type Wanted } from "./log/commit.ts";
export { decodeEntry, type Entry, firstHash, nextHash } from "./log/entry.ts";
export type { LadderStore, MatchQuery, Played, PlayedQuery, StoredMatch } from "./log/ladder-store.ts";
export {
  type Append,
  type AppendOutcome,
  type DeadLetter,
  type Head,
  type Listed,
  type ListQuery,
  type LiveQuery,
  type Log,
  LogUnavailable,
  type Outgoing,
  type Route,
  type Snapshot,
  type SnapshotPart,
  type Span,
  type StoredBatch,
  type StreamName,
} from "./log/log.ts";
export { type AppendingLog, MemoryCluster, type StoreNetwork } from "./log/memory/memory-cluster.ts";
export { MemoryLog } from "./log/memory/memory-log.ts";
export {
  type ClusterState,
  type Roles,
  type Sharing,
  type StreamAdvanced,
  sharingLimits,
} from "./log/sharing.ts";
export { SqliteLog } from "./log/sqlite/sqlite-log.ts";
export { TimeSlices } from "./scheduling/time-slices.ts";
export { watchRoom } from "./transport/live/watch-room.ts";
export { arenaLens } from "./views/arena-lens.ts";
export { arenaView } from "./views/arena-views.ts";
