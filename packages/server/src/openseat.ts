import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  arenaDecider,
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
import { Host } from "./host/host.ts";
import { type Log, LogUnavailable } from "./log/log.ts";
import { SqliteLog } from "./log/sqlite/sqlite-log.ts";
import { AdmissionProofs } from "./transport/admission/admission-proofs.ts";
import { Arenas } from "./transport/arenas/arenas.ts";
import { Matches } from "./transport/arenas/matches.ts";
import { Authenticator } from "./transport/auth/authenticator.ts";
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
  const { host, hub, pulses, lines, isReady } = runHost(config, log, noteFault);
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
  const ladders = ladderParts(rungs, host.ladderRecords, secrets.guestSecret, systemClock.now);
  const app = await buildServer({ ...shared, games, arenas, matches, waiting, ladders });
  host.start();
  const all = { games: seats, queues: lines, arenas: tables, ladders: rungs };
  const demo = config.demo === false ? noDemo : await makeDemoRooms(all);
  const url = await app.listen({ port: config.port, host: config.host });
  logger.info({ url }, "listening");
  const note = (error: unknown) => logger.warn({ err: error }, "a demo bot stumbled");
  const bots = config.demo ? startDemoBots(reachable(url), demo, note) : undefined;
  return {
    app,
    url,
    demo,
    async stop() {
      bots?.stop();
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
function runHost(config: Config, log: Log, noteFault: (error: unknown, what: string) => void) {
  let failedAt = Number.NEGATIVE_INFINITY;
  const hub = new Hub(log, systemClock, (error) => noteFault(error, "the feed could not be read"));
  const host = new Host({
    log,
    clock: systemClock,
    deciders: { game: gameDecider, queue: queueDecider, arena: arenaDecider, ladder: ladderDecider },
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

function measureDeliveries(metrics: Metrics, counts: Host["deliveries"]): void {
  metrics.count(
    "openseat_deliveries_total",
    "Results of rooms that have arrived at their ladder.",
    () => counts.arrived,
  );
  metrics.count(
    "openseat_deliveries_refused_total",
    "Results of rooms that their ladder refused for good; they are kept in the outbox.",
    () => counts.refused,
  );
  metrics.gauge(
    "openseat_deliveries_held",
    "Rooms whose results could not be delivered and are tried again.",
    () => counts.held,
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
