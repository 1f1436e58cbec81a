import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyHttpOptions } from "fastify";
import { livePath } from "../../live/live-routes.ts";
import { rawErrorResponse } from "../errors.ts";
import { hasUnanswered, PipelinedResponse } from "./pipelined-response.ts";

export const timeouts = {
  /** For a request to arrive whole. */
  requestTimeoutMs: 30_000,
  requestCheckMs: 5_000,
  /** Without the client taking any of what was sent. */
  unreadMsMax: 60_000,
};

/** How connections are treated, whatever is asked over them. Live connections may be opened below `basePath` too. */
export function connectionOptions(basePath = "", { requestTimeoutMs, requestCheckMs } = timeouts) {
  return {
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    http: {
      // Fastify's own setting comes too late for these: half a head would be waited for for a minute.
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: requestCheckMs,
      ServerResponse: PipelinedResponse,
      shouldUpgradeCallback: (request: IncomingMessage) => mayUpgrade(request, basePath),
    },
    clientErrorHandler(error, socket) {
      if (socket.writable) socket.write(rawErrorResponse((error as { code?: string }).code));
      // Not only `end`: a client that sends garbage and never closes would keep the connection open.
      socket.destroySoon();
    },
  } satisfies FastifyHttpOptions<Server>;
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
export function closeUnread(server: Server, { unreadMsMax } = timeouts): void {
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
