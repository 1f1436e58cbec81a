import swagger from "@fastify/swagger";
import Fastify, { type FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../config/settings.ts";
import type { Hub } from "../feed/hub.ts";
import { AtOnce, PerMinute } from "./address-limits.ts";
import { guardRoutes } from "./auth/access.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import { docsRoute } from "./docs-page.ts";
import { answerBrokenAddress, answerErrors, rawErrorResponse } from "./errors.ts";
import { gameRoutes } from "./games/game-routes.ts";
import type { Games } from "./games/games.ts";
import { guestRoutes } from "./guest-routes.ts";
import { healthRoutes } from "./health-routes.ts";
import { eventStreamRoutes } from "./live/event-stream-routes.ts";
import { livePath, liveRoutes } from "./live/live-routes.ts";
import { type Metrics, metricsRoute } from "./metrics.ts";
import { compileSchema } from "./validation.ts";

export interface ServerParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly games: Games;
  readonly hub: Hub;
  readonly authenticator: Authenticator;
  readonly metrics: Metrics;
  readonly isReady: () => Promise<boolean>;
  readonly noteFault: (error: unknown, what: string) => void;
}

/** Everything that can be reached from outside, and nothing that decides anything. */
export async function buildServer(parts: ServerParts): Promise<FastifyInstance> {
  const { config, games, hub, authenticator, metrics } = parts;
  // No logger for Fastify: one of its own for each request would cost more than deciding it. Errors are logged by us.
  const app = Fastify({
    // Only the nearest hop is ours: what it appended is true, what stands before that is the client's own word.
    trustProxy: config.trustProxy && ((_address: string, hop: number) => hop === 0),
    bodyLimit: config.bodyBytesMax,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // Longer than any id may be, so that a long one is refused by name rather than not found.
    routerOptions: { maxParamLength: 4_096 },
    forceCloseConnections: "idle",
    // Anything else that asks to be upgraded is answered as an ordinary request: its socket would belong to nobody.
    http: { shouldUpgradeCallback: ({ url }) => url?.split("?")[0] === livePath },
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
  const live = new AtOnce(config.liveMax, config.livePerAddressMax);
  const onFault = (error: unknown) => parts.noteFault(error, "a live message failed");
  await liveRoutes(app, { games, hub, authenticator, onFault }, live);
  gameRoutes(app, games);
  guestRoutes(app, authenticator, new PerMinute(config.guestsPerAddressMax, Date.now));
  eventStreamRoutes(app, games, hub, live);
  healthRoutes(app, parts.isReady);
  metricsRoute(app, metrics);
  metrics.gauge("openseat_live_connections", "Live connections open.", () => live.total);
  metrics.gauge("openseat_watches", "Subscriptions to the feed.", () => hub.size);
  return app;
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
