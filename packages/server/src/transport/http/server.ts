import { readPages } from "@openseat/web";
import Fastify, { type FastifyInstance } from "fastify";
import type { Arenas } from "../../app/arenas/arenas.ts";
import type { Matches } from "../../app/arenas/matches.ts";
import type { Games } from "../../app/games/games.ts";
import type { AdmissionProofs } from "../../app/queues/admission-proofs.ts";
import type { WaitingRooms } from "../../app/queues/waiting-rooms.ts";
import type { Clock } from "../../clock.ts";
import { allowedOrigins } from "../../config/allowed-origins.ts";
import { roomMakers } from "../../config/room-makers.ts";
import type { Config } from "../../config/settings.ts";
import { trustedProxies } from "../../config/trusted-proxies.ts";
import type { Hub } from "../../feed/hub.ts";
import type { Logger } from "../../logger.ts";
import { TokenBuckets } from "../../token-buckets.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { Entrances } from "../auth/entrances.ts";
import { limitRoomMakers } from "../auth/limit-room-makers.ts";
import { gateRoutes } from "../gate/gate-routes.ts";
import { ClientAddresses } from "../limits/client-addresses.ts";
import { ConcurrencyLimit } from "../limits/concurrency.ts";
import { EventLoopDelay } from "../limits/event-loop-delay.ts";
import { exemptions, type IsExempt } from "../limits/exemptions.ts";
import { Gatekeeper } from "../limits/gatekeeper.ts";
import { identifyAddresses } from "../limits/identify-addresses.ts";
import { LoadShedding } from "../limits/load-shedding.ts";
import { paceLargePages } from "../limits/pace-large-pages.ts";
import { WriteBudgets } from "../limits/write-budgets.ts";
import { eventStreamRoutes } from "../live/event-stream-routes.ts";
import { liveRoutes } from "../live/live-routes.ts";
import { pageRoutes } from "../pages/page-routes.ts";
import { waitRoutes } from "../wait/wait-routes.ts";
import { arenaRoutes } from "./arenas/arena-routes.ts";
import { type TalkDeps, talkRoutes } from "./chat/talk-routes.ts";
import { connectionOptions, timeouts } from "./connections/connection-options.ts";
import { Front } from "./connections/front-server.ts";
import type { Ingress } from "./connections/ingress.ts";
import { limitConnections } from "./connections/limit-connections.ts";
import { OperatorPort } from "./connections/operator-port.ts";
import { documentApi } from "./docs/docs-routes.ts";
import { answerBrokenAddress, answerErrors } from "./errors.ts";
import { FastPath, type FastPathDeps } from "./fast-path/fast-path.ts";
import type { FastRoutes } from "./fast-path/fast-route.ts";
import { gameRoutes } from "./games/game-routes.ts";
import { AllowedMethods } from "./headers/allowed-methods.ts";
import { basePathOf, knowBasePath, withoutBasePath } from "./headers/base-path.ts";
import { compressAnswers } from "./headers/compression.ts";
import { knowSecure } from "./headers/cookies.ts";
import { Cors } from "./headers/cors.ts";
import { tagAnswers } from "./headers/etags.ts";
import { notFoundHandler } from "./headers/not-found.ts";
import { RequestIds } from "./headers/request-ids.ts";
import { type Damages, type Degraded, healthRoutes, type Unreadiness } from "./health-routes.ts";
import { type LadderUseCases, ladderRoutes } from "./ladders/ladder-routes.ts";
import { type Metrics, metricsRoute } from "./metrics.ts";
import { guestRoutes } from "./people/guest-routes.ts";
import { followPipeline, Pipeline } from "./pipeline.ts";
import { jwksRoute } from "./queues/jwks-route.ts";
import { positionRoutes } from "./queues/position-routes.ts";
import { queueRoutes } from "./queues/queue-routes.ts";
import { sessionRoutes } from "./queues/session-routes.ts";
import { requestSteps } from "./request-steps.ts";
import { compileSchema, serializerOf } from "./validation.ts";

export interface ServerDeps {
  readonly config: Config;
  readonly logger: Logger;
  readonly ingress: Ingress;
  readonly games: Games;
  readonly arenas: Arenas;
  readonly matches: Matches;
  readonly ladders: LadderUseCases;
  readonly talk: TalkDeps;
  readonly webhooks: (app: FastifyInstance) => void;
  readonly waiting: WaitingRooms;
  readonly hub: Hub;
  readonly authenticator: Authenticator;
  readonly proofs: AdmissionProofs;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly shedByRooms: () => number;
  readonly whyNotReady: Unreadiness;
  readonly damages: Damages;
  readonly degraded: () => readonly Degraded[];
  /** Milliseconds since 1970, by the clock that all nodes share. */
  readonly now: () => number;
  readonly noteFault: (error: unknown, what: string) => void;
}

export interface BuiltServer {
  readonly app: FastifyInstance;
  readonly operatorPort: OperatorPort | undefined;
}

export async function buildServer(deps: ServerDeps): Promise<BuiltServer> {
  const { config, ingress, games, arenas, hub, authenticator, metrics } = deps;
  const { ladders } = deps.ladders;
  const { conversations } = deps.talk;
  const front = new Front();
  const requestIds = new RequestIds(trustedProxies(config.trustProxy)!);
  const basePath = basePathOf(config.publicUrl, ingress.prefix);
  const app = newApp(config, front, { requestIds, stripped: ingress.prefix ?? basePath });
  const origins = config.allowedOrigins;
  const cors = origins === undefined ? undefined : new Cors(allowedOrigins(origins)!, config.publicUrl);
  const operatorPort = config.operatorPort === undefined ? undefined : new OperatorPort(app.server);
  const entrances = new Entrances(authenticator, operatorPort);
  const isExempt = exemptions(config);
  const budgets = new WriteBudgets({ ...config, isExempt }, deps.now);
  const gatekeeper = new Gatekeeper([authenticator.checkGuest, budgets.check], shedLoad(app, deps), (token) =>
    authenticator.isRoleKey(token),
  );
  const pipeline = new Pipeline(requestSteps({ cors, entrances, gatekeeper, metrics, ...requestLog(deps) }));
  limitRoomMakers(app, roomMakers(config.createRooms)!);
  followPipeline(app, pipeline, (socket) => !entrances.admitsOperators(socket));
  readRequests(app);
  const addresses = clientAddresses(deps);
  identifyAddresses(app, addresses);
  knowSecure(app, config.publicUrl);
  knowBasePath(app, basePath);
  const pages = readPages({ base: basePath });
  const methods = new AllowedMethods(app);
  answerErrors(app, deps.noteFault, notFoundHandler({ methods, entrances, pages, cors }));
  paceLargePages(app, deps.clock);
  tagAnswers(app);
  compressAnswers(app);

  await documentApi(app, { pages, publicUrl: config.publicUrl, basePath, clock: deps.clock });
  // It reads connections, which belong to the other program if the server is attached to one.
  const isFast = config.fastPath && ingress.prefix === undefined;
  const fastPath = isFast ? newFastPath(deps, { pipeline, addresses, requestIds, basePath }) : undefined;
  const { liveMax: max, livePerAddressMax: perAddressMax } = config;
  const live = new ConcurrencyLimit({ max, perAddressMax, reserved: Math.floor(max / 10) });
  const onFault = (error: unknown) => deps.noteFault(error, "a live message failed");
  const { waiting, clock } = deps;
  const watchable = { games, arenas, ladders, conversations, queues: waiting.queues, hub };
  const { liveMessagesPerSecond: messagesPerSecond } = config;
  const liveDeps = { ...watchable, waiting, gatekeeper, clock, onFault, messagesPerSecond };
  await liveRoutes(app, liveDeps, entrances, live, cors);
  gameRoutes(app, fastPath, games);
  arenaRoutes(app, fastPath, arenas, deps.matches, budgets, deps.clock);
  await ladderRoutes(app, fastPath, deps.ladders, { budgets, clock: deps.clock });
  talkRoutes(app, deps.talk, budgets);
  deps.webhooks(app);
  await waitingRoomRoutes(app, deps, fastPath, live, isExempt);
  eventStreamRoutes(app, watchable, entrances, live);
  jwksRoute(app, deps.proofs);
  healthRoutes(app, deps);
  pageRoutes(app, pageRooms(deps), pages);
  metricsRoute(app, metrics, deps.clock);
  if (fastPath) {
    front.begin = (socket, server) => fastPath.begin(socket, server);
    app.addHook("preClose", () => fastPath.close());
  }
  limitConnections(front, { ...config, trusts: trustedProxies(config.trustProxy)! }, metrics);
  measureTraffic(deps, fastPath, live);
  return { app, operatorPort };
}

function requestLog({ logger }: ServerDeps): Pick<ServerDeps, "logger"> | undefined {
  return logger.isLevelEnabled("debug") ? { logger } : undefined;
}

/** `stripped` is removed from the beginning of addresses. */
function newApp(
  config: Config,
  front: Front,
  { requestIds, stripped }: { readonly requestIds: RequestIds; readonly stripped: string },
): FastifyInstance {
  // No logger for Fastify: a child logger per request would cost more than handling the request.
  return Fastify({
    // For the forwarded protocol and host; addresses come from ClientAddresses.
    trustProxy: config.trustProxy !== "false" && trustedProxies(config.trustProxy)!,
    bodyLimit: config.bodyBytesMax,
    ...connectionOptions(front, stripped),
    ...withoutBasePath(stripped),
    // Longer than any id, so that the schema refuses a long one.
    routerOptions: { maxParamLength: 4_096, ignoreTrailingSlash: true },
    // Fastify's own 503 has no envelope.
    return503OnClosing: false,
    genReqId: ({ socket, headers }) =>
      requestIds.of(socket.remoteAddress, headers["x-request-id"] as string | undefined),
    frameworkErrors: (error, { id }, reply) => answerBrokenAddress(error, reply.header("x-request-id", id)),
  });
}

function readRequests(app: FastifyInstance): void {
  app.setValidatorCompiler(compileSchema);
  app.setSerializerCompiler(serializerOf);
  const parse = app.getDefaultJsonParser("error", "error");
  // Many clients send `Content-Type: application/json` with every POST, even without a body.
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") done(null, null);
    else parse(request, body, done);
  });
  // No route accepts text, so it is refused because of its type, not its content.
  app.removeContentTypeParser("text/plain");
  app.decorateRequest("identity", null);
}

function measureTraffic(
  { metrics, hub }: ServerDeps,
  fastPath: FastPath | undefined,
  live: ConcurrencyLimit,
): void {
  metrics.count(
    "openseat_fast_path_answers_total",
    "HTTP responses of the fast path.",
    () => fastPath?.answered ?? 0,
  );
  metrics.gauge("openseat_live_connections", "Live connections open.", () => live.total);
  metrics.gauge("openseat_watches", "Subscriptions to the feed.", () => hub.size);
}

function pageRooms({ games, arenas, ladders }: ServerDeps) {
  return {
    games: (id: string) => games.get(null, id),
    arenas: (id: string) => arenas.get(null, id),
    ladders: (id: string) => ladders.ladders.get(null, id),
  };
}

async function waitingRoomRoutes(
  app: FastifyInstance,
  { config, waiting, authenticator, noteFault, now }: ServerDeps,
  fastPath: FastRoutes,
  live: ConcurrencyLimit,
  isExempt: IsExempt,
): Promise<void> {
  const { publicUrl, guestsPerAddressMax } = config;
  const newGuests = new TokenBuckets({ perMinute: guestsPerAddressMax }, now);
  guestRoutes(app, authenticator, newGuests, isExempt);
  queueRoutes(app, waiting.queues);
  positionRoutes(app, fastPath, waiting.positions);
  sessionRoutes(app, waiting.sessions);
  gateRoutes(app, { sessions: waiting.sessions, publicUrl, now });
  await waitRoutes(app, { waiting, authenticator, live, publicUrl, now, noteFault });
}

function shedLoad(app: FastifyInstance, { config, clock, metrics, shedByRooms }: ServerDeps): LoadShedding {
  const delay = new EventLoopDelay(clock);
  const { overloadDelayMs: overloadMs } = config;
  const shedding = new LoadShedding({
    delay,
    overloadMs,
    elapsed: () => clock.elapsed(),
    random: Math.random,
  });
  delay.start(() => shedding.adjust());
  app.addHook("onClose", async () => delay.stop());
  metrics.gauge(
    "openseat_event_loop_delay_seconds",
    "How late the event loop is because of its own work: the minimum of the latest samples.",
    () => delay.ms / 1000,
  );
  metrics.countBy(
    "openseat_shed_total",
    "Requests refused because of load, by reason: overload, address, room.",
    "reason",
    () => ({ ...shedding.counts, room: shedByRooms() }),
  );
  return shedding;
}

function clientAddresses({ config, logger }: ServerDeps): ClientAddresses {
  const { trustProxy, ipv6PrefixBits } = config;
  return new ClientAddresses({
    ipv6PrefixBits,
    trusts: trustedProxies(trustProxy)!,
    onUntrusted: (proxy) =>
      logger.warn(
        { proxy },
        "a proxy that is not trusted forwards addresses, so all of its visitors share one set of limits. Set --trust-proxy",
      ),
  });
}

function newFastPath(
  { config, noteFault }: ServerDeps,
  deps: Pick<FastPathDeps, "pipeline" | "addresses" | "requestIds" | "basePath">,
): FastPath {
  const { keepAliveTimeout, requestTimeoutMs: requestTimeout } = timeouts;
  const { bodyBytesMax } = config;
  return new FastPath({ ...deps, bodyBytesMax, keepAliveTimeout, requestTimeout, noteFault });
}
