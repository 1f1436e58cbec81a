import {
  arenaDecider,
  conversationDecider,
  directoryDecider,
  gameDecider,
  ladderDecider,
  queueDecider,
  type TicketNumber,
} from "@openseat/kernel";
import {
  type AppendingLog,
  arenaLens,
  type ChannelSender,
  Chat,
  type Clock,
  type Hub,
  type Log,
  MemoryCluster,
  MemoryLog,
  type StoreNetwork,
  type StreamName,
} from "@openseat/server";
import type { Ear } from "./chat/switchboard.ts";
import type { Rooms } from "./process.ts";

/** What a node is built of. The tests put a broken part in, to see that the checks notice. */
export interface Parts {
  /** The store that outlives every process. It may be told of crashes. */
  readonly store: AppendingLog & { crash?(): void };
  /** Several nodes on that store. */
  cluster(
    store: AppendingLog,
    passage: StoreNetwork,
  ): Pick<MemoryCluster, "crash" | "cut"> & {
    node(name: string): Log;
    failOver?: MemoryCluster["failOver"];
  };
  readonly games: typeof gameDecider;
  readonly queues: typeof queueDecider;
  readonly arenas: typeof arenaDecider;
  readonly ladders: typeof ladderDecider;
  readonly directories: typeof directoryDecider;
  readonly conversations: typeof conversationDecider;
  /** What hears messages. */
  chat(parts: ConstructorParameters<typeof Chat>[0]): Ear;
  /** Who takes out what is sent to people. */
  sender(sender: ChannelSender): ChannelSender;
  /** What a process takes time from. */
  clock(clock: Clock): Clock;
  /** Tells the host of a sign of life, and of one that goes on. */
  hear(rooms: Rooms, id: string, whose: Parameters<Rooms["heard"]>[1]): void;
  hold(rooms: Rooms, id: string, ticket: TicketNumber): { release(): void };
  /** How the feed shows an arena. */
  readonly arenaLens: typeof arenaLens;
  /** Stands between the host and its connection to the store. */
  wire(log: Log, hub: Hub): Log;
  /** Tells the watchers what has become durable. */
  publish(hub: Hub, committed: Parameters<Hub["publish"]>[0]): void;
  /** Tells them to look for themselves: in this stream, or in all. */
  doubt(hub: Hub, stream: StreamName | undefined): void;
}

export const soundParts = (): Parts => ({
  store: new MemoryLog(),
  cluster: (store, passage) => new MemoryCluster(store, passage),
  games: gameDecider,
  queues: queueDecider,
  arenas: arenaDecider,
  ladders: ladderDecider,
  directories: directoryDecider,
  conversations: conversationDecider,
  chat: (parts) => new Chat(parts),
  sender: (sender) => sender,
  clock: (clock) => clock,
  hear: (rooms, id, whose) => rooms.heard(id, whose),
  hold: (rooms, id, ticket) => rooms.hold(id, ticket),
  arenaLens,
  wire: (log) => log,
  publish: (hub, committed) => hub.publish(committed),
  doubt: (hub, stream) => (stream === undefined ? hub.catchUpAll() : hub.catchUp(stream)),
});
