import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Turns a reply into a stream of server-sent events. A disconnected reader reconnects after `retryMs`. */
export type OpenEventStream = (reply: FastifyReply, retryMs: number) => FastifyReply["raw"];

export function eventStreams(app: FastifyInstance): OpenEventStream {
  const open = new Set<FastifyReply["raw"]>();
  app.addHook("preClose", async () => {
    for (const raw of open) raw.end();
  });
  return (reply, retryMs) => {
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    raw.write(`retry: ${retryMs}\n\n`);
    // Without a listener, an error of the connection would end the process.
    raw.on("error", () => raw.destroy());
    open.add(raw);
    raw.once("close", () => open.delete(raw));
    return raw;
  };
}
