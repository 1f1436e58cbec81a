import type { FastifyReply } from "fastify";

/** Takes the reply over as a stream of server-sent events; a reader that loses it comes back after `retryMs`. */
export function openEventStream(reply: FastifyReply, retryMs: number): FastifyReply["raw"] {
  reply.hijack();
  const { raw } = reply;
  const id = reply.getHeader("x-request-id");
  raw.writeHead(200, {
    ...(id !== undefined && { "x-request-id": id }),
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  raw.write(`retry: ${retryMs}\n\n`);
  // Without a listener, an error of the connection would be an error of the process.
  raw.on("error", () => raw.destroy());
  return raw;
}
