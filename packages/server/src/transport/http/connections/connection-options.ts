import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyHttpOptions } from "fastify";
import { livePath } from "../../live/live-routes.ts";
import { rawErrorResponse } from "../errors.ts";
import { type Front, FrontServer } from "./front-server.ts";
import { hasUnanswered } from "./pipelined-response.ts";

export const timeouts = {
  /** How long a request may take to arrive completely. */
  requestTimeoutMs: 30_000,
  requestCheckMs: 5_000,
  keepAliveTimeout: 72_000,
  /** How long a client may leave everything that was sent unread. */
  unreadMsMax: 60_000,
};

/** How connections are handled, whatever is requested over them. Live connections may be opened below `basePath` too. */
export function connectionOptions(front: Front, basePath = "", given: Partial<typeof timeouts> = {}) {
  const all = { ...timeouts, ...given };
  return {
    forceCloseConnections: "idle",
    serverFactory(handler) {
      const server = new FrontServer(
        {
          // By default, Node waits a minute for the rest of a head.
          headersTimeout: all.requestTimeoutMs,
          requestTimeout: all.requestTimeoutMs,
          keepAliveTimeout: all.keepAliveTimeout,
          connectionsCheckingInterval: all.requestCheckMs,
          shouldUpgradeCallback: (request: IncomingMessage) => mayUpgrade(request, basePath),
        },
        handler,
        front,
      );
      closeUnread(server, all.unreadMsMax);
      return server;
    },
    clientErrorHandler: (error, socket) => failConnection(socket, (error as { code?: string }).code),
  } satisfies FastifyHttpOptions<Server>;
}

/** Answers input that is too malformed, or too slow, to become a request. */
export function failConnection(socket: Socket, code: string | undefined): void {
  if (socket.writable) socket.write(rawErrorResponse(code));
  // Otherwise each further packet in the socket would be reported here as well.
  socket.pause();
  // `end` alone is not enough: a client that sends garbage and never closes would keep the connection open.
  socket.destroySoon();
}

/** The same goes for a socket that still has responses to send. */
function mayUpgrade(request: IncomingMessage, basePath: string): boolean {
  return (isLive(request) || isLive(request, basePath)) && !hasUnanswered(request.socket);
}

/**
 * Any other request for an upgrade, also one with another method, gets an ordinary response: nothing would own its socket, so it
 * would stay open after its client has left.
 */
export function isLive({ method, url = "" }: IncomingMessage, basePath = ""): boolean {
  const path = url.split("?", 1)[0].replace(/\/$/, "");
  return method === "GET" && path === basePath + livePath;
}

/** Closes connections whose client does not read. */
function closeUnread(server: Server, unreadMsMax: number): void {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  // Only data that is not read at once gets a timer: a timer per request would cost 3 % of each request.
  const checking = setInterval(() => {
    for (const socket of open)
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(unreadMsMax);
  }, unreadMsMax / 6);
  checking.unref();
  server.on("close", () => clearInterval(checking));
  server.on("timeout", (socket) => {
    const isWorking = hasUnanswered(socket) && socket.writableLength === 0;
    if (!isWorking) socket.destroy();
  });
}
