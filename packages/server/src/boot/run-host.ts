import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  arenaDecider,
  type Conversation,
  type ConversationCommand,
  type ConversationEvent,
  conversationDecider,
  type Directory,
  type DirectoryCommand,
  type DirectoryEvent,
  directoryDecider,
  type GameCommand,
  type GameEvent,
  type GameRoom,
  gameDecider,
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  ladderDecider,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  queueDecider,
} from "@openseat/kernel";
import { pulseReader } from "../app/queues/waiting-rooms.ts";
import { Hub } from "../feed/hub.ts";
import { Pulses } from "../feed/pulses.ts";
import { Host } from "../host/host.ts";
import type { HostOptions } from "../host/host-options.ts";
import type { Courier } from "../host/outbox/courier.ts";
import { LogDamaged, RoomUnsupported } from "../host/stream/stream-state.ts";
import { DamagedRooms } from "../integrity/damaged-rooms.ts";
import { LogCheck } from "../integrity/log-check.ts";
import { UnsupportedRooms } from "../integrity/unsupported-rooms.ts";
import { LogUnavailable } from "../log/log.ts";
import type { Ground } from "./ground.ts";
import { measureClock, measureDamage, measureDeliveries, measureSharing } from "./measures.ts";
import { measureQueues } from "./queue-metrics.ts";
import { Readiness } from "./readiness.ts";
import { measureStore } from "./store-sizes.ts";

const deciders = {
  game: gameDecider,
  queue: queueDecider,
  arena: arenaDecider,
  ladder: ladderDecider,
  directory: directoryDecider,
  conversation: conversationDecider,
};

export type AllStreams = ReturnType<typeof streamsOf>;

/** The streams of each kind, by which use cases ask the host. */
export function streamsOf(host: Pick<Host, "streams">) {
  return {
    games: host.streams<GameRoom, GameCommand, GameEvent>("game"),
    queues: host.streams<QueueRoom, QueueCommand, QueueEvent>("queue"),
    arenas: host.streams<ArenaRoom, ArenaCommand, ArenaEvent>("arena"),
    ladders: host.streams<Ladder, LadderCommand, LadderEvent>("ladder"),
    directory: host.streams<Directory, DirectoryCommand, DirectoryEvent>("directory"),
    conversations: host.streams<Conversation, ConversationCommand, ConversationEvent>("conversation"),
  };
}

interface HostDeps {
  readonly couriers: Readonly<Record<string, Courier>>;
  /** Told whether this node does what is done once for all of them. */
  readonly onCaretaker: (isOurs: boolean) => void;
}

/** The host on its log, the feeds that follow it, and what is found out about both. */
export interface RunningHost {
  readonly host: Host;
  readonly streams: AllStreams;
  readonly hub: Hub;
  readonly pulses: Pulses;
  readonly readiness: Readiness;
  readonly damaged: DamagedRooms;
  readonly unsupported: UnsupportedRooms;
  readonly check: LogCheck;
}

export function runHost(ground: Ground, { couriers, onCaretaker }: HostDeps): RunningHost {
  const { config, logger, log, clock, noteFault } = ground;
  const readiness = new Readiness(log, clock, () => host.sinceBeatMs);
  const damaged = new DamagedRooms(logger);
  const unsupported = new UnsupportedRooms(logger);
  const hub = new Hub(log, clock, (error) => noteFault(error, "the feed could not be read"));
  const feeds: (Hub | Pulses)[] = [hub];
  const host = new Host({
    ...{ log, clock, deciders, couriers, onCaretaker },
    residentStreamsMax: config.residentRoomsMax,
    idleMs: config.idleSeconds * 1000,
    ...followedBy(feeds, ground),
    onError(error) {
      if (error instanceof RoomUnsupported) {
        unsupported.note(error.stream, error.game);
        return;
      }
      // One damaged room, or a fault in one, says nothing about the others.
      if (error instanceof LogUnavailable) readiness.noteFailure(error);
      if (error instanceof LogDamaged) damaged.note(error.stream, { part: "log", reason: error.message });
      noteFault(error, "the host noted an error");
    },
  });
  const streams = streamsOf(host);
  const pulses = new Pulses(log, clock, pulseReader(streams.queues), (error) =>
    noteFault(error, "a pulse could not be read"),
  );
  feeds.push(pulses);
  const check = newLogCheck(ground, damaged);
  const running = { host, streams, hub, pulses, readiness, damaged, unsupported, check };
  measure(ground, running);
  return running;
}

/** What the feeds are told by the host. */
function followedBy(
  feeds: readonly (Hub | Pulses)[],
  { metrics, faults }: Ground,
): Pick<HostOptions, "onCommit" | "onDoubt" | "onForked" | "onServerChanged" | "onAhead" | "isWatched"> {
  return {
    onCommit(committed) {
      for (const feed of feeds) feed.publish(committed);
    },
    onDoubt(stream, version) {
      for (const feed of feeds)
        if (stream === undefined) feed.catchUpAll();
        else feed.catchUp(stream, version);
    },
    onForked(stream) {
      const text = "the log went back: what was in memory is dropped, and read again from the log";
      faults.note({ level: "error", cause: text, fields: {}, text, stream });
      for (const feed of feeds) feed.showAnew(stream);
    },
    onServerChanged(versionOf) {
      for (const feed of feeds) feed.showAllAnew(versionOf);
    },
    onAhead(stream, aheadMs) {
      metrics.roomsAhead.inc();
      const text = "a room was written to by a clock that ran ahead: it goes by its own time";
      faults.note({ level: "warn", cause: text, fields: { aheadMs }, text, stream });
    },
    isWatched: (stream) => feeds.some((feed) => feed.has(stream)),
  };
}

function newLogCheck({ log, clock, logger, noteFault }: Ground, damaged: DamagedRooms): LogCheck {
  return new LogCheck({
    log,
    clock,
    kinds: Object.keys(deciders),
    onDamage: (stream, damage) => damaged.note(stream, damage),
    onEnd(streams) {
      const { rooms, snapshots } = damaged;
      logger.info({ streams, damagedRooms: rooms, damagedSnapshots: snapshots }, "the log has been checked");
    },
    onError: (error) => noteFault(error, "the log could not be checked to its end"),
  });
}

function measure({ metrics, log, clock }: Ground, { host, streams, readiness, damaged }: RunningHost): void {
  measureClock(metrics, clock);
  measureStore(metrics, log, clock);
  metrics.gauge("openseat_rooms_in_memory", "Rooms held in memory.", () => host.residentStreams);
  measureQueues(metrics.registry, streams.queues, clock);
  measureDeliveries(metrics, host.deliveries);
  measureSharing(metrics, host, () => readiness.failure === undefined);
  measureDamage(metrics, damaged);
}
