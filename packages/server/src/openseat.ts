import { createHmac } from "node:crypto";
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
  type PersonId,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  queueDecider,
} from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { systemClock } from "./clock.ts";
import { KeyRing } from "./config/key-ring.ts";
import { loadSecrets } from "./config/secrets.ts";
import type { Config } from "./config/settings.ts";
import { startDemoBots } from "./demo/demo-bots.ts";
import { type Demo, makeDemoRooms, noDemo } from "./demo/demo-rooms.ts";
import { Hub } from "./feed/hub.ts";
import { Pulses } from "./feed/pulses.ts";
import type { Courier } from "./host/courier.ts";
import { Host } from "./host/host.ts";
import { type Log, LogUnavailable } from "./log/log.ts";
import { SqliteLog } from "./log/sqlite/sqlite-log.ts";
import { AdmissionProofs } from "./transport/admission/admission-proofs.ts";
import { Arenas } from "./transport/arenas/arenas.ts";
import { Matches } from "./transport/arenas/matches.ts";
import { Authenticator } from "./transport/auth/authenticator.ts";
import { channelsFrom } from "./transport/chat/channels.ts";
import { chatParts } from "./transport/chat/chat-parts.ts";
import { couriersOf } from "./transport/chat/couriers.ts";
import { Games } from "./transport/games/games.ts";
import { ladderParts } from "./transport/ladders/ladder-routes.ts";
import { Metrics } from "./transport/metrics.ts";
import { pulseReader } from "./transport/queues/following.ts";
import { measureQueues } from "./transport/queues/queue-metrics.ts";
import { waitingRooms } from "./transport/queues/waiting-rooms.ts";
import { buildServer } from "./transport/server.ts";

export interface Openseat {
  readonly app: FastifyInstance;
  /** Where it can be reached. */
  readonly url: string;
  readonly demo: Demo;
  /** Finishes what it has begun, and lets go of the data folder. */
  stop(): Promise<void>;
}

/** After a failed write, work is better sent elsewhere for so long. */
const failureMemoryMs = 5_000;

/** So long may what is under way take to end by itself at a stop. */
const lingerMsMax = 5_000;

/** Puts the parts together: transport → host → kernel → log → feed. */
export async function startOpenseat(config: Config, logger: Logger): Promise<Openseat> {
  const metrics = new Metrics();
  const noteFault = (error: unknown, what: string) => {
    metrics.faults.inc();
    logger.error({ err: error }, what);
  };
  const log = await SqliteLog.open(config.data, (flush) => metrics.flushed(flush));
  const secrets = loadSecrets(config.data);
  const channels = channelsFrom(config, {
    clock: systemClock,
    webhookSecret: derivedSecret(secrets.guestSecret, "telegram webhook"),
    onError: (error) => noteFault(error, "a chat channel noted an error"),
  });
  const couriers = couriersOf(channels, () => talk.directory);
  const { host, hub, pulses, lines, isReady } = runHost(config, log, couriers, noteFault);
  metrics.gauge("openseat_rooms_in_memory", "Rooms held in memory.", () => host.residentStreams);
  metrics.gauge(
    "openseat_places_followed",
    "Places in lines followed over live connections.",
    () => pulses.size,
  );
  measureQueues(metrics.registry, lines);
  measureDeliveries(metrics, host.deliveries);
  const proofs = admissionProofs(config, noteFault);
  const authenticator = new Authenticator({
    ...config,
    guestSecret: secrets.guestSecret,
    operatorKey: config.operatorKey ?? secrets.operatorKey,
    serviceKey: config.serviceKey ?? secrets.serviceKey,
    now: Date.now,
  });
  const seats = host.streams<GameRoom, GameCommand, GameEvent>("game");
  const games = new Games(seats, secrets.guestSecret);
  const tables = host.streams<ArenaRoom, ArenaCommand, ArenaEvent>("arena");
  const rungs = host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
  const arenas = new Arenas(tables, rungs, secrets.guestSecret);
  const matches = new Matches(tables);
  const waiting = waitingRooms(lines, proofs, pulses, secrets.guestSecret, systemClock.now);
  const shared = { config, logger, hub, authenticator, proofs, metrics, isReady, noteFault };
  const talk = chatParts({
    directory: host.streams<Directory, DirectoryCommand, DirectoryEvent>("directory"),
    conversations: host.streams<Conversation, ConversationCommand, ConversationEvent>("conversation"),
    ladders: rungs,
    ...{ channels, deadLetters: host.deadLetters },
    usualLadder: config.chatLadder,
    idSecret: secrets.guestSecret,
    onFault: (error) => noteFault(error, "a message could not be handled"),
  });
  const nicknameOf = (person: PersonId) => talk.people.nicknameOf(person);
  const ladders = ladderParts(rungs, host.ladderRecords, secrets.guestSecret, systemClock.now, nicknameOf);
  const app = await buildServer({ ...shared, games, arenas, matches, waiting, ladders, talk });
  host.start();
  const all = { games: seats, queues: lines, arenas: tables, ladders: rungs };
  const demo = config.demo === false ? noDemo : await makeDemoRooms(all);
  const url = await app.listen({ port: config.port, host: config.host });
  logger.info({ url }, "listening");
  for (const channel of channels) channel.start?.(talk.chat);
  const note = (error: unknown) => logger.warn({ err: error }, "a demo bot stumbled");
  const bots = config.demo ? startDemoBots(reachable(url), demo, note) : undefined;
  return {
    app,
    url,
    demo,
    async stop() {
      bots?.stop();
      await Promise.all(channels.map((channel) => channel.stop?.()));
      // A reader that takes nothing, or half a request, must not hold up the stop.
      const hurry = setTimeout(() => app.server.closeAllConnections(), lingerMsMax);
      await app.close();
      clearTimeout(hurry);
      await host.stop();
    },
  };
}

/** From this machine: an address that stands for all of them is not one to connect to everywhere. */
export function reachable(url: string): string {
  return url.replace(/\/\/(127\.0\.0\.1|\[::\]|0\.0\.0\.0)/, "//localhost");
}

/** The host on its log, and the feed that follows it. */
function runHost(
  config: Config,
  log: Log,
  couriers: Readonly<Record<string, Courier>>,
  noteFault: (error: unknown, what: string) => void,
) {
  let failedAt = Number.NEGATIVE_INFINITY;
  const hub = new Hub(log, systemClock, (error) => noteFault(error, "the feed could not be read"));
  const host = new Host({
    log,
    clock: systemClock,
    deciders: {
      game: gameDecider,
      queue: queueDecider,
      arena: arenaDecider,
      ladder: ladderDecider,
      directory: directoryDecider,
      conversation: conversationDecider,
    },
    couriers,
    residentStreamsMax: config.residentRoomsMax,
    idleMs: config.idleSeconds * 1000,
    onCommit(committed) {
      hub.publish(committed);
      pulses.publish(committed);
    },
    onDoubt(stream) {
      hub.catchUp(stream);
      pulses.catchUp(stream);
    },
    onError: (error) => {
      // One damaged room, or a fault in one, says nothing about the others.
      if (error instanceof LogUnavailable) failedAt = Date.now();
      noteFault(error, "the host noted an error");
    },
  });
  const lines = host.streams<QueueRoom, QueueCommand, QueueEvent>("queue");
  const pulses = new Pulses(systemClock, pulseReader(lines, systemClock.now), (error) =>
    noteFault(error, "a pulse could not be read"),
  );
  const isReady = async () => Date.now() - failedAt > failureMemoryMs && (await answers(log));
  return { host, hub, pulses, lines, isReady };
}

/** A secret for one purpose, that stays the same over starts and tells nothing of the one that it comes from. */
function derivedSecret(secret: string, purpose: string): string {
  return createHmac("sha256", secret).update(`secret for: ${purpose}`).digest("base64url");
}

function measureDeliveries(metrics: Metrics, counts: Host["deliveries"]): void {
  metrics.count(
    "openseat_deliveries_total",
    "What rooms caused in others that has arrived there, as results at their ladder.",
    () => counts.arrived,
  );
  metrics.count(
    "openseat_deliveries_refused_total",
    "What rooms caused in others and was refused there for good; it is kept in the outbox.",
    () => counts.refused,
  );
  metrics.gauge(
    "openseat_deliveries_held",
    "Lanes, from one room to another or to one chat, in which something could not be delivered and is tried again.",
    () => counts.held,
  );
  metrics.count("openseat_messages_sent_total", "Messages that were sent to chats.", () => counts.sent);
  metrics.count(
    "openseat_messages_set_aside_total",
    "Messages that could not be sent; operators can see them and send them again.",
    () => counts.setAside,
  );
}

function admissionProofs(
  { data, publicUrl }: Config,
  noteFault: (error: unknown, what: string) => void,
): AdmissionProofs {
  const onTrouble = (error: unknown) => noteFault(error, "the signing keys could not be read again");
  return new AdmissionProofs(new KeyRing(data, { now: Date.now, onTrouble }), publicUrl ?? "openseat");
}

async function answers(log: Log): Promise<boolean> {
  return log.nextDue(systemClock.now()).then(
    () => true,
    () => false,
  );
}
