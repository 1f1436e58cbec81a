import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { channelSendersOf } from "../app/chat/channel-senders.ts";
import type { ChannelAdapter } from "../channels/channel-adapter.ts";
import { channelsFrom } from "../channels/channels.ts";
import { type Clock, newSystemClock } from "../clock.ts";
import type { Config } from "../config/settings.ts";
import { derivedSecret } from "../crypto/derived-secret.ts";
import { type DemoBots, startDemoBots } from "../demo/demo-bots.ts";
import { type Demo, makeDemoRooms, noDemo } from "../demo/demo-rooms.ts";
import { Authenticator } from "../transport/auth/authenticator.ts";
import { buildServer } from "../transport/http/server.ts";
import { MessageRateLimit } from "../transport/limits/message-rate-limit.ts";
import { ClockWatch } from "./clock-watch.ts";
import { degradationsOf } from "./degradations.ts";
import { type Ground, layGround } from "./ground.ts";
import { runHost } from "./run-host.ts";
import type { OnWaiting } from "./startup-retry.ts";
import { useCasesOf } from "./use-cases.ts";

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
  { node = newNodeName(), onWaiting = () => {}, clock = newSystemClock() }: StartOptions = {},
): Promise<Openseat> {
  const { waiting, ...ground } = await layGround(config, logger, { node, onWaiting, clock });
  let bots: DemoBots | undefined;
  const parts = await putTogether(ground, (isOurs) => bots?.play(isOurs));
  const { app, operatorPort, host, streams, channels, ear, readiness, unsupported, check } = parts;
  await waiting.until(() => host.start());
  const demo = config.demo === false ? noDemo : await waiting.until(() => makeDemoRooms(streams));
  const ports = await waiting.end();
  await app.ready();
  const operatorUrl = await operatorPort?.listen(ports.operatorPort!, config.operatorHost);
  const url = await app.listen({ port: ports.port, host: config.host });
  const watch = new ClockWatch(clock, logger);
  watch.start();
  logger.info({ url, operatorUrl }, "listening");
  check.start();
  unsupported.find(ground.log).catch((error) => ground.noteFault(error, "the arenas could not be listed"));
  for (const channel of channels) channel.start?.(ear);
  const note = (error: unknown) => ground.faults.warn(error, "a demo bot stumbled");
  if (config.demo) bots = startDemoBots(reachable(url), demo, note, host.isLeader);
  return {
    ...{ app, url, operatorUrl, demo },
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

/** A new name with each start: what this node left behind before a restart must not count as its own. */
export function newNodeName(): string {
  return `${hostname()}-${randomBytes(4).toString("hex")}`;
}

/** From this machine: an address that stands for all of them is not one to connect to everywhere. */
export function reachable(url: string): string {
  return url.replace(/\/\/(127\.0\.0\.1|\[::\]|0\.0\.0\.0)/, "//localhost");
}

/** Transport → app → host → kernel → log → feed. `onLeader` is told whether this node does what is done once for all of them. */
async function putTogether(ground: Ground, onLeader: (isOurs: boolean) => void) {
  const { config, clock, metrics } = ground;
  const now = () => clock.now();
  const channels = newChannels(ground);
  const running = runHost(ground, {
    senders: channelSendersOf(channels, () => useCases.talk.directory),
    onLeader(isOurs) {
      for (const channel of channels) channel.fetch?.(isOurs);
      onLeader(isOurs);
    },
  });
  const { host, hub, pulses, readiness, damaged } = running;
  const useCases = useCasesOf(ground, running, channels);
  const { talk } = useCases;
  const ear = new MessageRateLimit(talk.chat, { messagesPerSenderMax: config.writesPerPersonMax, now });
  const authenticator = newAuthenticator(ground);
  const built = await buildServer({
    ...ground,
    ...useCases,
    ...{ hub, authenticator, now },
    webhooks(app) {
      for (const channel of channels) channel.routes?.(app, ear);
    },
    shedByRooms: () => host.shed,
    whyNotReady: () => readiness.whyNot(),
    damages: () => damaged.report,
    degraded: () =>
      degradationsOf({
        ...running,
        ...{ clock, deliveries: host.deliveries },
        isIssuerUp: () => authenticator.isIssuerUp,
      }),
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
  return { ...built, ...running, channels, ear };
}

function newChannels({
  config,
  clock,
  logger,
  metrics,
  secrets,
  noteFault,
}: Ground): readonly ChannelAdapter[] {
  return channelsFrom(config, {
    clock,
    webhookSecret: derivedSecret(secrets.guestSecret, "telegram webhook"),
    onError: (error) => noteFault(error, "a chat channel noted an error"),
    onSmsHeld(isFirst) {
      metrics.smsHeld.inc();
      const { smsPerHourMax } = config;
      if (isFirst) logger.warn({ smsPerHourMax }, "text messages wait until the hour has passed");
    },
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
    onIssuerError: (error) =>
      faults.warn(error, "the keys of the issuer cannot be fetched: the last known ones stay valid"),
  });
}
