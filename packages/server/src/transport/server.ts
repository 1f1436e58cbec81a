import swagger from "@fastify/swagger";
import Fastify, { type FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../config/settings.ts";
import type { Hub } from "../feed/hub.ts";
import { AtOnce, PerMinute } from "./address-limits.ts";
import type { AdmissionProofs } from "./admission/admission-proofs.ts";
import { jwksRoute } from "./admission/jwks-route.ts";
import { arenaRoutes } from "./arenas/arena-routes.ts";
import type { Arenas } from "./arenas/arenas.ts";
import type { Matches } from "./arenas/matches.ts";
import { guardRoutes } from "./auth/access.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import { type ChatParts, talkRoutes } from "./chat/chat-parts.ts";
import { docsRoute } from "./docs-page.ts";
import { answerBrokenAddress, answerErrors, rawErrorResponse } from "./errors.ts";
import { ExpressLane } from "./express/lane.ts";
import { gameRoutes } from "./games/game-routes.ts";
import type { Games } from "./games/games.ts";
import { gateRoutes } from "./gate/gate-routes.ts";
import { guestRoutes } from "./guest-routes.ts";
import { healthRoutes, type Unreadiness } from "./health-routes.ts";
import { type LadderParts, ladderRoutes } from "./ladders/ladder-routes.ts";
import { eventStreamRoutes } from "./live/event-stream-routes.ts";
import { livePath, liveRoutes } from "./live/live-routes.ts";
import { type Metrics, metricsRoute } from "./metrics.ts";
import { pageRoutes } from "./pages/page-routes.ts";
import { positionRoutes } from "./queues/position-routes.ts";
import { queueRoutes } from "./queues/queue-routes.ts";
import { sessionRoutes } from "./queues/session-routes.ts";
import type { WaitingRooms } from "./queues/waiting-rooms.ts";
import { compileSchema } from "./validation.ts";
import { waitRoutes } from "./wait/wait-routes.ts";

export interface ServerParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly games: Games;
  readonly arenas: Arenas;
  readonly matches: Matches;
  readonly ladders: LadderParts;
  readonly talk: ChatParts;
  readonly waiting: WaitingRooms;
  readonly hub: Hub;
  readonly authenticator: Authenticator;
  readonly proofs: AdmissionProofs;
  readonly metrics: Metrics;
  readonly whyNotReady: Unreadiness;
  /** Milliseconds since 1970, by the clock that all nodes go by. */
  readonly now: () => number;
  readonly noteFault: (error: unknown, what: string) => void;
}

const requestTimeoutMs = 30_000;

/** Everything that can be reached from outside, and nothing that decides anything. */
export async function buildServer(parts: ServerParts): Promise<FastifyInstance> {
  const { config, games, arenas, hub, authenticator, metrics } = parts;
  const { ladders } = parts.ladders;
  const { conversations } = parts.talk;
  // No logger for Fastify: one of its own for each request would cost more than deciding it. Errors are logged by us.
  const app = Fastify({
    // Only the nearest hop is ours: what it appended is true, what stands before that is the client's own word.
    trustProxy: config.trustProxy && ((_address: string, hop: number) => hop === 0),
    bodyLimit: config.bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 72_000,
    // Longer than any id may be, so that a long one is refused by name rather than not found.
    routerOptions: { maxParamLength: 4_096 },
    forceCloseConnections: "idle",
    http: {
      // Fastify's own setting comes too late for these: half a head would be waited for for a minute.
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: 5_000,
      // Anything else that asks to be upgraded is answered as an ordinary request: its socket would belong to nobody.
      shouldUpgradeCallback: ({ url }) => url?.split("?")[0] === livePath,
    },
    // Whoever is connected still is answered as ever, with `Connection: close`; Fastify's own 503 is outside the envelope.
    return503OnClosing: false,
    frameworkErrors: (error, _request, reply) => answerBrokenAddress(error, reply),
    clientErrorHandler(error, socket) {
      if (socket.writable) socket.write(rawErrorResponse((error as { code?: string }).code));
      // Not only `end`: whoever sends garbage and never closes would hold a connection for ever.
      socket.destroySoon();
    },
  });
  app.server.maxConnections = config.connectionsMax;
  app.setValidatorCompiler(compileSchema);
  answerErrors(app, parts.noteFault);
  acceptEmptyJson(app);
  // Fastify takes text by default; here nothing does, so it is a wrong type rather than a wrong body.
  app.removeContentTypeParser("text/plain");
  app.decorateRequest("identity", null);
  guardRoutes(app, authenticator);
  metrics.countAnswers(app);
  if (parts.logger.isLevelEnabled("debug")) logAnswers(app, parts.logger);

  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Openseat", version: "0.1.0", description: "Who sits, who waits, who is next." },
      components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    },
  });
  docsRoute(app);
  const lane = expressLane(app, parts);
  const live = new AtOnce(config.liveMax, config.livePerAddressMax);
  const onFault = (error: unknown) => parts.noteFault(error, "a live message failed");
  await liveRoutes(
    app,
    { games, arenas, ladders, conversations, waiting: parts.waiting, hub, authenticator, onFault },
    live,
  );
  gameRoutes(app, lane, games);
  arenaRoutes(app, lane, arenas, parts.matches);
  await ladderRoutes(app, lane, parts.ladders);
  talkRoutes(app, parts.talk);
  await waitingRoomRoutes(app, parts, lane, live);
  eventStreamRoutes(app, { games, arenas, ladders, conversations, hub }, live);
  jwksRoute(app, parts.proofs);
  healthRoutes(app, parts.whyNotReady);
  pageRoutes(app);
  metricsRoute(app, metrics);
  // Each answer has its line in the log then, which the lane would not write.
  if (!parts.logger.isLevelEnabled("debug")) lane.open();
  app.addHook("preClose", () => lane.close());
  metrics.gauge("openseat_live_connections", "Live connections open.", () => live.total);
  metrics.gauge("openseat_watches", "Subscriptions to the feed.", () => hub.size);
  return app;
}

/** Waiting rooms for programs, for sites and for people; and guests, who are counted together wherever they come in. */
async function waitingRoomRoutes(
  app: FastifyInstance,
  { config, waiting, authenticator, noteFault, now }: ServerParts,
  lane: ExpressLane,
  live: AtOnce,
): Promise<void> {
  const { publicUrl, guestsPerAddressMax } = config;
  const newGuests = new PerMinute(guestsPerAddressMax, now);
  guestRoutes(app, authenticator, newGuests);
  queueRoutes(app, waiting.queues);
  positionRoutes(app, lane, waiting.positions);
  sessionRoutes(app, waiting.sessions);
  gateRoutes(app, { sessions: waiting.sessions, publicUrl, now });
  await waitRoutes(app, { waiting, authenticator, newGuests, live, publicUrl, now, noteFault });
}

function expressLane({ server }: FastifyInstance, parts: ServerParts): ExpressLane {
  const { config, authenticator, metrics, noteFault } = parts;
  const { trustProxy, bodyBytesMax } = config;
  const counterOf = (method: string, url: string) => metrics.counterOf(method, url);
  const lane = new ExpressLane({ server, authenticator, trustProxy, bodyBytesMax, counterOf, noteFault });
  metrics.count(
    "openseat_express_answers_total",
    "Answers given over HTTP from the express lane.",
    () => lane.answered,
  );
  return lane;
}

/** Only where it was asked for: a line for every request costs more than most requests. */
function logAnswers(app: FastifyInstance, logger: Logger): void {
  app.addHook("onResponse", async ({ id, method, routeOptions }, { statusCode, elapsedTime }) => {
    logger.debug(
      { reqId: id, method, route: routeOptions.url, status: statusCode, ms: elapsedTime },
      "answered",
    );
  });
}

/** Many clients send `Content-Type: application/json` with every POST, also with nothing in it. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") done(null, null);
    else parse(request, body, done);
  });
}
