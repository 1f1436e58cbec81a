import {
  arenaDecider,
  conversationDecider,
  type Decider,
  directoryDecider,
  gameDecider,
  ladderDecider,
  queueDecider,
} from "@openseat/kernel";
import { pulseReader } from "../app/queues/waiting-rooms.ts";
import { Hub } from "../feed/hub.ts";
import { LineBroadcast } from "../feed/line-broadcast.ts";
import { Host } from "../host/host.ts";
import type { HostOptions } from "../host/host-options.ts";
import type { ChannelSender } from "../host/outbox/channel-sender.ts";
import { LogDamaged, RoomUnsupported } from "../host/stream/stream-state.ts";
import type { Streams } from "../host/streams.ts";
import { DamagedRooms } from "../integrity/damaged-rooms.ts";
import { LogCheck } from "../integrity/log-check.ts";
import { UnsupportedRooms } from "../integrity/unsupported-rooms.ts";
import { LogUnavailable } from "../log/log.ts";
import type { Foundation } from "./foundation.ts";
import { measureHost } from "./measures.ts";
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

type Kind = keyof typeof deciders;
type StreamsOf<D> =
  D extends Decider<infer State, infer Command, infer Event> ? Streams<State, Command, Event> : never;

export type AllStreams = ReturnType<typeof streamsOf>;

/** The streams of each kind, through which use cases reach the host. */
export function streamsOf(host: Pick<Host, "streams">) {
  const of = <K extends Kind>(kind: K) => host.streams(kind) as StreamsOf<(typeof deciders)[K]>;
  return {
    games: of("game"),
    queues: of("queue"),
    arenas: of("arena"),
    ladders: of("ladder"),
    directory: of("directory"),
    conversations: of("conversation"),
  };
}

interface HostDeps {
  readonly senders: Readonly<Record<string, ChannelSender>>;
  /** Called when this node becomes the leader or stops being it. */
  readonly onLeader: (isOurs: boolean) => void;
}

export type RunningHost = ReturnType<typeof runHost>;

/** The host on its log, the feeds that follow it, and their checks. */
export function runHost(foundation: Foundation, { senders, onLeader }: HostDeps) {
  const { config, logger, log, clock, metrics, noteFault } = foundation;
  const readiness = new Readiness(log, clock, () => host.sinceHeartbeatMs);
  const damaged = new DamagedRooms(logger);
  const unsupported = new UnsupportedRooms(logger);
  const hub = new Hub(log, clock, (error) => noteFault(error, "the feed could not be read"));
  const feeds: (Hub | LineBroadcast)[] = [hub];
  const host = new Host({
    ...{ log, clock, deciders, senders, onLeader },
    residentStreamsMax: config.residentRoomsMax,
    idleMs: config.idleSeconds * 1000,
    ...followedBy(feeds, foundation),
    onError(error) {
      if (error instanceof RoomUnsupported) {
        unsupported.note(error.stream, error.game);
        return;
      }
      // One damaged room, or a bug in one, says nothing about the others.
      if (error instanceof LogUnavailable) readiness.noteFailure(error);
      if (error instanceof LogDamaged) damaged.note(error.stream, { part: "log", reason: error.message });
      noteFault(error, "the host reported an error");
    },
  });
  const streams = streamsOf(host);
  const lineBroadcast = new LineBroadcast(log, clock, pulseReader(streams.queues), (error) =>
    noteFault(error, "a pulse could not be read"),
  );
  feeds.push(lineBroadcast);
  const check = newLogCheck(foundation, damaged);
  measureStore(metrics, log, clock);
  measureQueues(metrics.registry, streams.queues, clock);
  measureHost(metrics, { clock, host, readiness, damaged });
  return { host, streams, hub, lineBroadcast, readiness, damaged, unsupported, check };
}

/** Forwards the host's events to the feeds. */
function followedBy(
  feeds: readonly (Hub | LineBroadcast)[],
  { metrics, faults }: Foundation,
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
      const text = "the log went back: the room was dropped from memory and is read again";
      faults.note({ level: "error", cause: text, fields: {}, text, stream });
      for (const feed of feeds) feed.showAnew(stream);
    },
    onServerChanged(versionOf) {
      for (const feed of feeds) feed.showAllAnew(versionOf);
    },
    onAhead(stream, aheadMs) {
      metrics.roomsAhead.inc();
      const text = "a clock that was ahead has written to a room: it uses its own time";
      faults.note({ level: "warn", cause: text, fields: { aheadMs }, text, stream });
    },
    isWatched: (stream) => feeds.some((feed) => feed.has(stream)),
  };
}

function newLogCheck({ log, clock, logger, noteFault }: Foundation, damaged: DamagedRooms): LogCheck {
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
