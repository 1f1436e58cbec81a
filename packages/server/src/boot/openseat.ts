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
import { Arenas } from "../app/arenas/arenas.ts";
import { Matches } from "../app/arenas/matches.ts";
import { isChatLadder, isMadeForGroup } from "../app/chat/chat.ts";
import { couriersOf } from "../app/chat/couriers.ts";
import { Games } from "../app/games/games.ts";
import { NetworkHashes } from "../app/network-hashes.ts";
import { AdmissionProofs } from "../app/queues/admission-proofs.ts";
import { pulseReader } from "../app/queues/following.ts";
import { waitingRooms } from "../app/queues/waiting-rooms.ts";
import { ChosenIds } from "../app/rooms/chosen-ids.ts";
import { RoomQuota } from "../app/rooms/room-quota.ts";
import { channelsFrom } from "../channels/channels.ts";
import { type Clock, newSystemClock } from "../clock.ts";
import { KeyRing } from "../config/key-ring.ts";
import { loadSecrets, type Secrets } from "../config/secrets.ts";
import type { Config } from "../config/settings.ts";
import { type DemoBots, startDemoBots } from "../demo/demo-bots.ts";
import { type Demo, isDemoRoom, makeDemoRooms, noDemo } from "../demo/demo-rooms.ts";
import { Hub } from "../feed/hub.ts";
import { Pulses } from "../feed/pulses.ts";
import { Host } from "../host/host.ts";
import type { Courier } from "../host/outbox/courier.ts";
import { LogDamaged, RoomUnsupported } from "../host/stream/stream-state.ts";
import { DamagedRooms } from "../integrity/damaged-rooms.ts";
import { LogCheck } from "../integrity/log-check.ts";
import { UnsupportedRooms } from "../integrity/unsupported-rooms.ts";
import { type FlushObserver, type Log, LogUnavailable } from "../log/log.ts";
import { TimeSlices } from "../time-slices.ts";
import { Authenticator } from "../transport/auth/authenticator.ts";
import { chatParts } from "../transport/http/chat/chat-parts.ts";
import { Metrics } from "../transport/http/metrics.ts";
import { buildServer } from "../transport/http/server.ts";
import { EnterLimits } from "../transport/limits/enter-limits.ts";
import { exemptions } from "../transport/limits/exemptions.ts";
import { ClockWatch } from "./clock-watch.ts";
import { degradationsOf } from "./degradations.ts";
import { FaultLog } from "./fault-log.ts";
import { ladderUseCases } from "./ladders.ts";
import { measureClock, measureDamage, measureDeliveries, measureSharing } from "./measures.ts";
import { newNodeName } from "./node-name.ts";
import { measureQueues } from "./queue-metrics.ts";
import { Readiness } from "./readiness.ts";
import { type OnWaiting, Waiting } from "./startup-retry.ts";
import { openStore } from "./store.ts";
import { measureStore } from "./store-sizes.ts";

export interface Openseat {
  readonly app: FastifyInstance;
  /** Where it can be reached. */
  readonly url: string;
  /** AU7: where operators come in, if they have a port of their own. */
  readonly operatorUrl: string | undefined;
  readonly demo: Demo;
  /** Finishes what it has begun, and lets go of the log. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** The name by which the other nodes know this one. */
  readonly node?: string;
  /** Told of each reason for which the start has to wait for the database. */
  readonly onWaiting?: OnWaiting;
  /** The time; the machine's by default. */
  readonly clock?: Clock;
}

/** So long may what is under way take to end by itself at a stop. */
const lingerMsMax = 5_000;

/** Waits for the database where there is one; then puts the parts together, and listens. */
export async function startOpenseat(
  config: Config,
  logger: Logger,
  options: StartOptions = {},
): Promise<Openseat> {
  const { waiting, ...ground } = await layGround(config, logger, options);
  let bots: DemoBots | undefined;
  const parts = await putTogether(ground, (isOurs) => bots?.play(isOurs));
  const { app, operatorPort, host, streams, channels, ear, readiness, unsupported, check } = parts;
  await waiting.until(() => host.start());
  const demo = config.demo === false ? noDemo : await waiting.until(() => makeDemoRooms(streams));
  const ports = await waiting.end();
  await app.ready();
  const operatorUrl = await operatorPort?.listen(ports.operatorPort!, config.operatorHost);
  const url = await app.listen({ port: ports.port, host: config.host });
  const watch = new ClockWatch(ground.clock, logger);
  watch.start();
  logger.info({ url, operatorUrl }, "listening");
  check.start();
  unsupported.find(ground.log).catch((error) => ground.noteFault(error, "the arenas could not be listed"));
  for (const channel of channels) channel.start?.(ear);
  const note = (error: unknown) => ground.faults.warn(error, "a demo bot stumbled");
  if (config.demo) bots = startDemoBots(reachable(url), demo, note, host.isCaretaker);
  return {
    app,
    url,
    operatorUrl,
    demo,
    async stop() {
      readiness.noteStop();
      bots?.stop();
      await Promise.all(channels.map((channel) => channel.stop?.()));
      // A reader that takes nothing, or half a request, must not hold up the stop.
      const hurry = setTimeout(() => app.server.closeAllConnections(), lingerMsMax);
      await Promise.all([operatorPort?.close(), app.close()]);
      clearTimeout(hurry);
      watch.stop();
      unsupported.stop();
      ground.ring.close();
      await check.stop();
      await host.stop();
      ground.faults.close();
    },
  };
}

/** From this machine: an address that stands for all of them is not one to connect to everywhere. */
export function reachable(url: string): string {
  return url.replace(/\/\/(127\.0\.0\.1|\[::\]|0\.0\.0\.0)/, "//localhost");
}

/** What has to be there before anything can be built. */
interface Ground {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly faults: FaultLog;
  readonly noteFault: NoteFault;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly ring: KeyRing;
}

async function layGround(
  config: Config,
  logger: Logger,
  { node = newNodeName(), onWaiting = () => {}, clock = newSystemClock() }: StartOptions,
): Promise<Ground & { readonly waiting: Waiting }> {
  const metrics = new Metrics();
  const faults = new FaultLog(logger, clock);
  const noteFault: NoteFault = (error, what) => {
    metrics.faults.inc();
    // The database is another's to mend; whatever else goes wrong is ours.
    const isElsewhere = config.databaseUrl !== undefined && error instanceof LogUnavailable;
    faults[isElsewhere ? "warn" : "error"](error, what);
  };
  const waiting = new Waiting(config, (reason, url) => {
    logger.warn({ url }, `waiting for the database: ${reason}`);
    onWaiting(reason, url);
  });
  const onFlush: FlushObserver = (flush) => metrics.flushed(flush);
  const { log, secrets: kept } = await waiting.until(() =>
    openStore(config, { node, clock, logger, onFlush }),
  );
  const secrets = await waiting.until(() => loadSecrets(kept));
  const onTrouble = (error: unknown) => noteFault(error, "the signing keys could not be read again");
  const ring = await waiting.until(() => KeyRing.open(kept, { clock, onTrouble }));
  return { config, logger, clock, metrics, faults, noteFault, waiting, log, secrets, ring };
}

type NoteFault = (error: unknown, what: string) => void;

/** Told whether this node does what is done once for all of them. */
type OnCaretaker = (isOurs: boolean) => void;

/** Transport → host → kernel → log → feed. */
async function putTogether(ground: Ground, onCaretaker: OnCaretaker) {
  const { config, clock, metrics, secrets, noteFault } = ground;
  const { guestSecret } = secrets;
  const now = () => clock.now();
  const channels = channelsFrom(config, {
    clock,
    webhookSecret: derivedSecret(guestSecret, "telegram webhook"),
    onError: (error) => noteFault(error, "a chat channel noted an error"),
    onSmsHeld(isFirst) {
      metrics.smsHeld.inc();
      const { smsPerHourMax } = config;
      if (isFirst) ground.logger.warn({ smsPerHourMax }, "text messages wait until the hour has passed");
    },
  });
  const couriers = couriersOf(channels, () => talk.directory);
  const parts = runHost(ground, couriers, (isOurs) => {
    for (const channel of channels) channel.fetch?.(isOurs);
    onCaretaker(isOurs);
  });
  const { host, hub, pulses, queues, readiness, damaged, unsupported, check } = parts;
  const proofs = new AdmissionProofs(ground.ring, config.publicUrl ?? "openseat");
  const streams = {
    queues,
    games: host.streams<GameRoom, GameCommand, GameEvent>("game"),
    arenas: host.streams<ArenaRoom, ArenaCommand, ArenaEvent>("arena"),
    ladders: host.streams<Ladder, LadderCommand, LadderEvent>("ladder"),
  };
  const { games, arenas, ladders } = streams;
  const networks = new NetworkHashes(guestSecret);
  const talk = chatParts({
    directory: host.streams<Directory, DirectoryCommand, DirectoryEvent>("directory"),
    conversations: host.streams<Conversation, ConversationCommand, ConversationEvent>("conversation"),
    ladders,
    ...{ channels, deadLetters: host.deadLetters },
    usualLadder: config.chatLadder,
    idSecret: guestSecret,
    networks,
    pace: { messagesPerSenderMax: config.writesPerPersonMax, now },
    onFault: (error) => noteFault(error, "a message could not be handled"),
  });
  const slices = new TimeSlices(clock);
  const enterLimits = new EnterLimits({ ...config, isExempt: exemptions(config) }, now);
  const quota = new RoomQuota({
    ...config,
    countLive: (creator, limit) => host.countLive({ creator, kinds: ["game", "arena", "ladder"], limit }),
  });
  const nicknameOf = (person: PersonId) => talk.people.nicknameOf(person);
  const authenticator = newAuthenticator(ground);
  const ids = new ChosenIds(
    (kind, id) =>
      isDemoRoom(kind, id) || (kind === "ladder" && isChatLadder(id, config.chatLadder, channels)),
  );
  const creation = { idSecret: guestSecret, ids, quota };
  const built = await buildServer({
    ...ground,
    ...{ hub, proofs, talk, authenticator, now },
    games: new Games(games, creation),
    arenas: new Arenas(arenas, ladders, creation),
    matches: new Matches(arenas, slices),
    ladders: ladderUseCases({
      streams: ladders,
      records: host.ladderRecords,
      clock,
      slices,
      creation,
      networks,
      nicknameOf,
      isUnlisted: (id, creator) => isMadeForGroup(id, creator, config.chatLadder),
    }),
    waiting: waitingRooms(queues, proofs, pulses, enterLimits, networks, guestSecret, now),
    shedByRooms: () => host.shed,
    whyNotReady: () => readiness.whyNot(),
    damages: () => damaged.report,
    degraded: () => degradationsOf({ ...parts, clock, isIssuerUp: () => authenticator.isIssuerUp }),
  });
  metrics.gauge(
    "openseat_places_followed",
    "Places in lines followed over live connections.",
    () => pulses.size,
  );
  metrics.gauge(
    "openseat_issuer_up",
    "0 while the keys of your own issuer cannot be fetched from their address; 1 otherwise.",
    () => Number(authenticator.isIssuerUp),
  );
  return { ...built, host, streams, channels, ear: talk.ear, readiness, unsupported, check };
}

const deciders = {
  game: gameDecider,
  queue: queueDecider,
  arena: arenaDecider,
  ladder: ladderDecider,
  directory: directoryDecider,
  conversation: conversationDecider,
};

/** The host on its log, and the feed that follows it. */
function runHost(ground: Ground, couriers: Readonly<Record<string, Courier>>, onCaretaker: OnCaretaker) {
  const { config, logger, log, clock, metrics, faults, noteFault } = ground;
  const readiness = new Readiness(log, clock, () => host.sinceBeatMs);
  const damaged = new DamagedRooms(logger);
  const unsupported = new UnsupportedRooms(logger);
  const hub = new Hub(log, clock, (error) => noteFault(error, "the feed could not be read"));
  const host = new Host({
    log,
    clock,
    deciders,
    couriers,
    residentStreamsMax: config.residentRoomsMax,
    idleMs: config.idleSeconds * 1000,
    onCommit(committed) {
      hub.publish(committed);
      pulses.publish(committed);
    },
    onDoubt(stream, version) {
      for (const feed of [hub, pulses])
        if (stream === undefined) feed.catchUpAll();
        else feed.catchUp(stream, version);
    },
    onForked(stream) {
      const text = "the log went back: what was in memory is dropped, and read again from the log";
      faults.note({ level: "error", cause: text, fields: {}, text, stream });
      for (const feed of [hub, pulses]) feed.showAnew(stream);
    },
    onServerChanged(versionOf) {
      for (const feed of [hub, pulses]) feed.showAllAnew(versionOf);
    },
    onAhead(stream, aheadMs) {
      metrics.roomsAhead.inc();
      const text = "a room was written to by a clock that ran ahead: it goes by its own time";
      faults.note({ level: "warn", cause: text, fields: { aheadMs }, text, stream });
    },
    isWatched: (stream) => hub.has(stream) || pulses.has(stream),
    onCaretaker,
    onError: (error) => {
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
  const queues = host.streams<QueueRoom, QueueCommand, QueueEvent>("queue");
  const pulses = new Pulses(log, clock, pulseReader(queues), (error) =>
    noteFault(error, "a pulse could not be read"),
  );
  measureClock(metrics, clock);
  measureStore(metrics, log, clock);
  metrics.gauge("openseat_rooms_in_memory", "Rooms held in memory.", () => host.residentStreams);
  measureQueues(metrics.registry, queues, clock);
  measureDeliveries(metrics, host.deliveries);
  measureSharing(metrics, host, () => readiness.failure === undefined);
  measureDamage(metrics, damaged);
  const { deliveries } = host;
  const check = newLogCheck(ground, damaged);
  return { host, hub, pulses, queues, readiness, damaged, unsupported, deliveries, check };
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

function newAuthenticator({ config, secrets, clock, faults }: Ground): Authenticator {
  return new Authenticator({
    ...config,
    guestSecret: secrets.guestSecret,
    operatorKey: config.operatorKey ?? secrets.operatorKey,
    serviceKey: config.serviceKey ?? secrets.serviceKey,
    now: () => clock.wall(),
    elapsed: () => clock.elapsed(),
    onIssuerTrouble: (error) =>
      faults.warn(error, "the keys of the issuer cannot be fetched: the last known ones stay valid"),
  });
}

/** A secret for one purpose, that stays the same over starts and tells nothing of the one that it comes from. */
function derivedSecret(secret: string, purpose: string): string {
  return createHmac("sha256", secret).update(`secret for: ${purpose}`).digest("base64url");
}
