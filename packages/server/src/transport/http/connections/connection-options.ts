import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyHttpOptions } from "fastify";
import { livePath } from "../../live/live-routes.ts";
import { rawErrorResponse } from "../errors.ts";
import { type Front, FrontServer } from "./front-server.ts";
import { hasUnanswered } from "./pipelined-response.ts";

export const timeouts = {
  /** For a request to arrive whole. */
  requestTimeoutMs: 30_000,
  requestCheckMs: 5_000,
  keepAliveTimeout: 72_000,
  /** Without the client taking any of what was sent. */
  unreadMsMax: 60_000,
};

/** How connections are treated, whatever is asked over them. Live connections may be opened below `basePath` too. */
export function connectionOptions(front: Front, basePath = "", given: Partial<typeof timeouts> = {}) {
  const all = { ...timeouts, ...given };
  return {
    forceCloseConnections: "idle",
    serverFactory(handler) {
      const server = new FrontServer(
        {
          // Half a head would be waited for for a minute.
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

/** Answers what is too broken, or too slow, to become a request. */
export function failConnection(socket: Socket, code: string | undefined): void {
  if (socket.writable) socket.write(rawErrorResponse(code));
  // Or each further packet that the socket holds would be reported here as well.
  socket.pause();
  // Not only `end`: a client that sends garbage and never closes would keep the connection open.
  socket.destroySoon();
}

/**
 * Any other request for an upgrade is answered as an ordinary one: its socket would belong to nobody. So would a socket
 * that is upgraded while it still has answers to send.
 */
function mayUpgrade({ url = "", socket }: IncomingMessage, basePath: string): boolean {
  const path = url.split("?", 1)[0].replace(/\/$/, "");
  return (path === livePath || path === basePath + livePath) && !hasUnanswered(socket);
}

/** Closes connections whose client does not read. */
function closeUnread(server: Server, unreadMsMax: number): void {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  // Only what is not read at once gets a timer: setting one for every request would cost 3 % of each.
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
