import websocket from "@fastify/websocket";
import type { Refusal } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import type { Entrances } from "../auth/entrances.ts";
import { sendRefusal } from "../http/envelope.ts";
import { rawErrorResponse } from "../http/errors.ts";
import type { Cors } from "../http/headers/cors.ts";
import type { ConcurrencyLimit } from "../limits/concurrency.ts";
import { limitConcurrency } from "../limits/limit-concurrency.ts";
import { LiveConnection, type LiveParts } from "./connection.ts";

const messageBytesMax = 16 * 1024;
/** Fragments are put together before anything counts them, and may be empty. */
const fragmentsMax = 16;
/** How often connections are pinged, and their tokens checked (AU5: withdrawn keys end within a minute). */
const pingMs = 30_000;

export const livePath = "/api/v1/live";

const goodbyeMsMax = 3_000;

/** The limit on live connections. */
export function limitLive(atOnce: ConcurrencyLimit) {
  return limitConcurrency(atOnce, {
    address: "This address has too many live connections open.",
    all: "All live connections are taken. Please try again in a moment.",
  });
}

const foreignOrigin: Refusal = {
  code: "origin.not-allowed",
  message: "Pages of this site may not connect here: it is not one of the allowed origins.",
};

/** In a scope of its own: the plugin would otherwise stand in the way of every other request. */
export async function liveRoutes(
  app: FastifyInstance,
  parts: LiveParts,
  entrances: Entrances,
  atOnce: ConcurrencyLimit,
  cors?: Pick<Cors, "mayConnect">,
): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(websocket, {
      options: {
        maxPayload: messageBytesMax,
        maxFragments: fragmentsMax,
        perMessageDeflate: false,
        // The intake answers pings itself, so that it can refuse a flood of them.
        autoPong: false,
      },
    });
    // The library's own answer to a malformed handshake has no envelope and no request id.
    scope.websocketServer.on("wsClientError", (_error, socket) => {
      socket.once("finish", () => socket.destroy());
      socket.end(rawErrorResponse("WS_ERR_HANDSHAKE"));
    });
    const open = keepUp(scope);
    scope.addHook("preClose", async () => {
      // Whoever does not answer the goodbye is let go: the stop waits for nobody's network.
      setTimeout(() => {
        for (const socket of scope.websocketServer.clients) socket.terminate();
      }, goodbyeMsMax).unref();
    });
    scope.route({
      method: "GET",
      url: livePath,
      config: { access: "public" },
      schema: { summary: "The live connection (WebSocket)", tags: ["live"] },
      onRequest: async (request, reply) =>
        cors?.mayConnect(request) === false ? sendRefusal(reply, foreignOrigin) : undefined,
      preValidation: limitLive(atOnce),
      handler: (_request, reply) =>
        sendRefusal(reply, {
          code: "input.invalid",
          message: "This address speaks WebSocket.",
          data: {
            ...{ in: "header", field: "upgrade" },
            errors: [{ field: "upgrade", message: "This address speaks WebSocket." }],
          },
        }),
      wsHandler: (socket, request) => {
        const { identity, address, headers } = request;
        const origin = { address, userAgent: headers["user-agent"] };
        const wire = request.raw.socket;
        const prover = entrances.proverFor(wire);
        const connection = new LiveConnection(socket, wire, { identity, origin, prover }, parts);
        open.add(connection);
        socket.once("close", () => open.delete(connection));
      },
    });
  });
}

/** The open connections, each of which is looked after every `pingMs`. */
function keepUp(scope: FastifyInstance): Set<LiveConnection> {
  const open = new Set<LiveConnection>();
  const lookAfterAll = () => {
    for (const connection of open) connection.keepUp();
  };
  // Once what has arrived is read: after a stop of the process, the answers to the last ping wait to be.
  const pinging = setInterval(() => setImmediate(lookAfterAll), pingMs);
  scope.addHook("onClose", async () => clearInterval(pinging));
  return open;
}
