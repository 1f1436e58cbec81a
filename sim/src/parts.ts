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
import type { MessageReceiver } from "./chat/switchboard.ts";
import type { Rooms } from "./process.ts";

/** The parts of a node. Tests replace one with a broken part to prove that a check notices. */
export interface Parts {
  /** The store, which outlives every process. Some stores are told about crashes. */
  readonly store: AppendingLog & { crash?(): void };
  /** A cluster on that store. */
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
  /** Receives messages. */
  chat(parts: ConstructorParameters<typeof Chat>[0]): MessageReceiver;
  /** Delivers messages to people. */
  sender(sender: ChannelSender): ChannelSender;
  /** The clock of a process. */
  clock(clock: Clock): Clock;
  /** Reports one heartbeat, or a continuing one, to the host. */
  heartbeat(rooms: Rooms, id: string, whose: Parameters<Rooms["noteHeartbeat"]>[1]): void;
  hold(rooms: Rooms, id: string, ticket: TicketNumber): { release(): void };
  /** How the feed shows an arena. */
  readonly arenaLens: typeof arenaLens;
  /** Wraps the host's connection to the store. */
  wire(log: Log, hub: Hub): Log;
  /** Publishes durable entries to watchers. */
  publish(hub: Hub, committed: Parameters<Hub["publish"]>[0]): void;
  /** Tells watchers to check one stream, or all of them. */
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
  heartbeat: (rooms, id, whose) => rooms.noteHeartbeat(id, whose),
  hold: (rooms, id, ticket) => rooms.hold(id, ticket),
  arenaLens,
  wire: (log) => log,
  publish: (hub, committed) => hub.publish(committed),
  doubt: (hub, stream) => (stream === undefined ? hub.catchUpAll() : hub.catchUp(stream)),
});
