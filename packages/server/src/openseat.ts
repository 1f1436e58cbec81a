import { type GameCommand, type GameEvent, type GameRoom, gameDecider } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { systemClock } from "./clock.ts";
import { loadSecrets } from "./config/secrets.ts";
import type { Config } from "./config/settings.ts";
import { Hub } from "./feed/hub.ts";
import { Host, type Streams } from "./host/host.ts";
import { type Log, LogUnavailable } from "./log/log.ts";
import { SqliteLog } from "./log/sqlite/sqlite-log.ts";
import { Authenticator } from "./transport/auth/authenticator.ts";
import { Games } from "./transport/games/games.ts";
import { Metrics } from "./transport/metrics.ts";
import { buildServer } from "./transport/server.ts";

export interface Openseat {
  readonly app: FastifyInstance;
  /** Where it can be reached. */
  readonly url: string;
  /** The id of the demo game, if there is one. */
  readonly demoGame: string | undefined;
  /** Finishes what it has begun, and lets go of the data folder. */
  stop(): Promise<void>;
}

/** After a failed write, work is better sent elsewhere for so long. */
const failureMemoryMs = 5_000;

const demoId = "demo";

/** So long may what is under way take to end by itself at a stop. */
const lingerMsMax = 5_000;

/** Puts the parts together: transport → host → kernel → log → feed. */
export async function startOpenseat(config: Config, logger: Logger): Promise<Openseat> {
  const metrics = new Metrics();
  const log = await SqliteLog.open(config.data, (flush) => metrics.flushed(flush));
  const secrets = loadSecrets(config.data);
  const noteFault = (error: unknown, what: string) => {
    metrics.faults.inc();
    logger.error({ err: error }, what);
  };
  const hub = new Hub(log, systemClock, (error) => noteFault(error, "the feed could not be read"));
  let failedAt = Number.NEGATIVE_INFINITY;
  const host = new Host({
    log,
    clock: systemClock,
    deciders: { game: gameDecider },
    residentStreamsMax: config.residentRoomsMax,
    idleMs: config.idleSeconds * 1000,
    onCommit: (committed) => hub.publish(committed),
    onDoubt: (stream) => hub.catchUp(stream),
    onError: (error) => {
      // One damaged room, or a fault in one, says nothing about the others.
      if (error instanceof LogUnavailable) failedAt = Date.now();
      noteFault(error, "the host noted an error");
    },
  });
  metrics.gauge("openseat_rooms_in_memory", "Rooms held in memory.", () => host.residentStreams);
  const streams = host.streams<GameRoom, GameCommand, GameEvent>("game");
  const authenticator = new Authenticator({
    ...config,
    guestSecret: secrets.guestSecret,
    operatorKey: config.operatorKey ?? secrets.operatorKey,
    serviceKey: config.serviceKey ?? secrets.serviceKey,
    now: Date.now,
  });
  const games = new Games(streams, secrets.guestSecret);
  const isReady = async () => Date.now() - failedAt > failureMemoryMs && (await answers(log));
  const app = await buildServer({ config, logger, games, hub, authenticator, metrics, isReady, noteFault });
  host.start();
  const demoGame = config.demo ? await demoGameOf(streams) : undefined;
  const url = await app.listen({ port: config.port, host: config.host });
  logger.info({ url }, "listening");
  return {
    app,
    url,
    demoGame,
    async stop() {
      // A reader that takes nothing, or half a request, must not hold up the stop.
      const hurry = setTimeout(() => app.server.closeAllConnections(), lingerMsMax);
      await app.close();
      clearTimeout(hurry);
      await host.stop();
    },
  };
}

async function answers(log: Log): Promise<boolean> {
  return log.nextDue(systemClock.now()).then(
    () => true,
    () => false,
  );
}

/** A game to try things on, made when there are no games at all. */
async function demoGameOf(streams: Streams<GameRoom, GameCommand, GameEvent>): Promise<string | undefined> {
  const [newest] = await streams.list({ limit: 1 });
  if (!newest) {
    const terms = {
      title: "Friday night game",
      seats: 4,
      waitlist: true,
      endsAt: null,
      creator: "@operator",
    };
    await streams.ask(demoId, { command: { type: "create", ...terms }, by: "@operator" });
  }
  const found = await streams.read(demoId, (room) => room && room.endedAt === undefined);
  return "value" in found && found.value ? demoId : undefined;
}
