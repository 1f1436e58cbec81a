import websocket from "@fastify/websocket";
import type { Refusal } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import type { Entrances } from "../auth/entrances.ts";
import { sendRefusal } from "../http/envelope.ts";
import { rawErrorResponse } from "../http/errors.ts";
import type { Cors } from "../http/headers/cors.ts";
import type { ConcurrencyLimit } from "../limits/concurrency.ts";
import { limitConcurrency } from "../limits/limit-concurrency.ts";
import { LiveConnection, type LiveDeps } from "./connection.ts";

const messageBytesMax = 16 * 1024;
/** Fragments are assembled before anything counts them, and may be empty. */
const fragmentsMax = 16;
/** Also the interval of token checks (AU5: withdrawn keys end within a minute). */
const pingMs = 30_000;

export const livePath = "/api/v1/live";

const goodbyeMsMax = 3_000;

export function limitLive(atOnce: ConcurrencyLimit) {
  return limitConcurrency(atOnce, {
    address: "Your network has too many live connections. Close one first.",
    all: "The server has too many live connections. Please try again in a moment.",
  });
}

const message = "Connect to this address with a WebSocket.";
const notWebSocket: Refusal = {
  code: "input.invalid",
  message,
  data: { in: "header", field: "upgrade", errors: [{ field: "upgrade", message }] },
};

const foreignOrigin: Refusal = {
  code: "origin.not-allowed",
  message: "Pages of this site may not connect here, because its origin is not allowed.",
};

/** In its own Fastify scope: the plugin's hooks would slow down all other routes. */
export async function liveRoutes(
  app: FastifyInstance,
  deps: LiveDeps,
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
    // The library's response to a malformed handshake has no envelope and no request id.
    scope.websocketServer.on("wsClientError", (_error, socket) => {
      socket.once("finish", () => socket.destroy());
      socket.end(rawErrorResponse("WS_ERR_HANDSHAKE"));
    });
    const open = keepUp(scope);
    scope.addHook("preClose", async () => {
      // The shutdown does not wait for clients that do not close.
      setTimeout(() => {
        for (const socket of scope.websocketServer.clients) socket.terminate();
      }, goodbyeMsMax).unref();
    });
    scope.route({
      method: "GET",
      url: livePath,
      config: { access: "public" },
      schema: { hide: true },
      onRequest: async (request, reply) =>
        cors?.mayConnect(request) === false ? sendRefusal(reply, foreignOrigin) : undefined,
      preValidation: limitLive(atOnce),
      handler: (_request, reply) => sendRefusal(reply, notWebSocket),
      wsHandler: (socket, request) => {
        const { identity, address, headers } = request;
        const origin = { address, userAgent: headers["user-agent"] };
        const wire = request.raw.socket;
        const prover = entrances.proverFor(wire);
        const connection = new LiveConnection(socket, wire, { identity, origin, prover }, deps);
        open.add(connection);
        socket.once("close", () => open.delete(connection));
      },
    });
  });
}

function keepUp(scope: FastifyInstance): Set<LiveConnection> {
  const open = new Set<LiveConnection>();
  const keepAllUp = () => {
    for (const connection of open) connection.keepUp();
  };
  // After the process was suspended, responses to the last ping must be read first.
  const pinging = setInterval(() => setImmediate(keepAllUp), pingMs);
  scope.addHook("onClose", async () => clearInterval(pinging));
  return open;
}
