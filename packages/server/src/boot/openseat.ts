import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { FastifyInstance } from "fastify";
import { channelSendersOf } from "../app/chat/channel-senders.ts";
import type { ChannelAdapter } from "../channels/channel-adapter.ts";
import { channelsFrom } from "../channels/channels.ts";
import { type Clock, newSystemClock } from "../clock.ts";
import type { Config } from "../config/settings.ts";
import { derivedSecret } from "../crypto/derived-secret.ts";
import { type DemoBots, startDemoBots } from "../demo/demo-bots.ts";
import { type Demo, makeDemoRooms, noDemo } from "../demo/demo-rooms.ts";
import type { Logger } from "../logger.ts";
import { Authenticator } from "../transport/auth/authenticator.ts";
import { type Ingress, ownPort } from "../transport/http/connections/ingress.ts";
import { buildServer } from "../transport/http/server.ts";
import type { Ports } from "../transport/http/waiting-server.ts";
import { MessageRateLimit } from "../transport/limits/message-rate-limit.ts";
import { ClockWatch } from "./clock-watch.ts";
import { degradationsOf } from "./degradations.ts";
import { type Foundation, openFoundation } from "./foundation.ts";
import { runHost } from "./run-host.ts";
import type { OnWaiting } from "./startup-retry.ts";
import { type UseCases, useCasesOf } from "./use-cases.ts";

export interface Openseat {
  readonly app: FastifyInstance;
  /** The URL of the server. */
  readonly url: string;
  /** AU7: the URL for operators, if they have their own port. */
  readonly operatorUrl: string | undefined;
  readonly demo: Demo;
  /** For callers in this process. */
  readonly useCases: UseCases;
  readonly noteFault: Foundation["noteFault"];
  /** Finishes what is under way and releases the log. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** The name by which other nodes know this one. */
  readonly node?: string;
  /** Called with each reason why the start has to wait for the database. */
  readonly onWaiting?: OnWaiting;
  /** By default, the machine's clock. */
  readonly clock?: Clock;
  /** By default, a port of its own. */
  readonly ingress?: Ingress;
  /** Ends a start that waits for the database. */
  readonly signal?: AbortSignal | undefined;
}

/** How long requests may take to finish during a stop. */
const lingerMsMax = 5_000;

/** Waits for the database if there is one, then wires the parts together and listens. */
export async function startOpenseat(
  config: Config,
  logger: Logger,
  {
    node = newNodeName(),
    onWaiting = () => {},
    clock = newSystemClock(),
    ingress = ownPort(config),
    signal,
  }: StartOptions = {},
): Promise<Openseat> {
  const options = { node, onWaiting, clock, ingress, signal };
  const { waiting, ...foundation } = await openFoundation(config, logger, options);
  const server = new RunningServer(foundation);
  try {
    const { host, streams } = await server.build();
    await waiting.until(() => host.start());
    const demo = config.demo === false ? noDemo : await waiting.until(() => makeDemoRooms(streams));
    return await server.open(await waiting.end(), demo);
  } catch (error) {
    await waiting.end();
    await server.stop();
    throw error;
  }
}

type Parts = Awaited<ReturnType<typeof putTogether>>;

/** The parts of a server, in the order in which they start and stop. */
class RunningServer {
  readonly #foundation: Foundation;
  readonly #watch: ClockWatch;
  #parts: Parts | undefined;
  #bots: DemoBots | undefined;

  constructor(foundation: Foundation) {
    this.#foundation = foundation;
    this.#watch = new ClockWatch(foundation.clock, foundation.logger);
  }

  async build(): Promise<Parts> {
    this.#parts = await putTogether(this.#foundation, (isOurs) => this.#bots?.play(isOurs));
    return this.#parts;
  }

  async open(ports: Ports, demo: Demo): Promise<Openseat> {
    const { config, logger, log, ingress, noteFault } = this.#foundation;
    const { app, operatorPort, channels, rateLimit, unsupported, check, useCases } = this.#parts!;
    await app.ready();
    const operatorUrl = await operatorPort?.listen(ports.operatorPort!, config.operatorHost);
    const url = await ingress.open(app, ports.port);
    this.#watch.start();
    logger.info({ url, operatorUrl }, ingress.prefix === undefined ? "listening" : "attached");
    check.start();
    unsupported.find(log).catch((error) => noteFault(error, "the arenas could not be listed"));
    for (const channel of channels) channel.start?.(rateLimit);
    if (config.demo) this.#startBots(url, demo);
    return { app, url, operatorUrl, demo, useCases, noteFault, stop: () => this.stop() };
  }

  #startBots(url: string, demo: Demo): void {
    const note = (error: unknown) => this.#foundation.faults.warn(error, "a demo bot failed");
    this.#bots = startDemoBots(reachable(url), demo, note, this.#parts!.host.isLeader);
  }

  /** Also after a start that failed halfway: its folder must be free for the next attempt. */
  async stop(): Promise<void> {
    const { ring, faults, log } = this.#foundation;
    if (this.#parts) await this.#stopParts(this.#parts);
    else await log.close();
    ring.close();
    faults.close();
  }

  async #stopParts(parts: Parts): Promise<void> {
    const { app, operatorPort, readiness, channels, unsupported, check, host } = parts;
    const { ingress } = this.#foundation;
    readiness.noteStop();
    this.#bots?.stop();
    await Promise.all(channels.map((channel) => channel.stop?.()));
    // A client that reads nothing, or sends half a request, must not delay the stop.
    const hurry = setTimeout(() => {
      app.server.closeAllConnections();
      ingress.cut();
    }, lingerMsMax);
    try {
      await Promise.all([operatorPort?.close(), ingress.close(), app.close()]);
    } finally {
      // Whatever failed, the folder must be free for the next start.
      clearTimeout(hurry);
      this.#watch.stop();
      unsupported.stop();
      await check.stop();
      await host.stop();
    }
  }
}

/** A new name for each start: what this node left behind before a restart must not count as its own. */
export function newNodeName(): string {
  return `${hostname()}-${randomBytes(4).toString("hex")}`;
}

/** Replaces an address that means "all interfaces", because clients cannot connect to it everywhere. */
export function reachable(url: string): string {
  return url.replace(/\/\/(127\.0\.0\.1|\[::\]|0\.0\.0\.0)/, "//localhost");
}

/** Wires transport → app → host → kernel → log → feed. `onLeader` says whether this node is the leader. */
async function putTogether(foundation: Foundation, onLeader: (isOurs: boolean) => void) {
  const { config, clock, metrics } = foundation;
  const now = () => clock.now();
  const channels = newChannels(foundation);
  const running = runHost(foundation, {
    senders: channelSendersOf(channels, () => useCases.talk.directory),
    onLeader(isOurs) {
      for (const channel of channels) channel.fetch?.(isOurs);
      onLeader(isOurs);
    },
  });
  const { host, hub, lineBroadcast, readiness, damaged } = running;
  const useCases = useCasesOf(foundation, running, channels);
  const { talk } = useCases;
  const rateLimit = new MessageRateLimit(talk.chat, { messagesPerSenderMax: config.writesPerPersonMax, now });
  const authenticator = newAuthenticator(foundation);
  const built = await buildServer({
    ...foundation,
    ...useCases,
    ...{ hub, authenticator, now },
    webhooks(app) {
      for (const channel of channels) channel.routes?.(app, rateLimit);
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
    () => lineBroadcast.size,
  );
  metrics.gauge(
    "openseat_issuer_up",
    "0 while the keys of your own issuer cannot be fetched from their address; 1 otherwise.",
    () => Number(authenticator.isIssuerUp),
  );
  return { ...built, ...running, channels, rateLimit, useCases };
}

function newChannels({
  config,
  clock,
  logger,
  metrics,
  secrets,
  noteFault,
}: Foundation): readonly ChannelAdapter[] {
  return channelsFrom(config, {
    clock,
    webhookSecret: derivedSecret(secrets.guestSecret, "telegram webhook"),
    onError: (error) => noteFault(error, "a chat channel reported an error"),
    onSmsHeld(isFirst) {
      metrics.smsHeld.inc();
      const { smsPerHourMax } = config;
      if (isFirst)
        logger.warn(
          { smsPerHourMax },
          "the hourly limit of text messages is reached: further ones wait until the next hour",
        );
    },
  });
}

function newAuthenticator({ config, secrets, clock, faults }: Foundation): Authenticator {
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
