import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Mount } from "../transport/http/connections/mount.ts";

interface HostRequest {
  readonly raw: IncomingMessage;
}

interface HostReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

type Done = (error: Error | null, body?: unknown) => void;

/** The part of a Fastify instance that the plugin uses. Your Fastify may be another copy than the one inside Openseat. */
export interface FastifyHost {
  readonly prefix: string;
  readonly server: Server;
  all(path: string, handler: (request: HostRequest, reply: HostReply) => void): unknown;
  removeAllContentTypeParsers(): void;
  addContentTypeParser(type: string, parse: (request: unknown, body: unknown, done: Done) => void): unknown;
  addHook(name: "preClose", hook: () => Promise<void>): unknown;
}

/** Adds the routes below the prefix. The hooks of the instance run for them, and upgrades do not reach them. */
export function mountOn(fastify: FastifyHost, mount: Mount, stop: () => Promise<void>): void {
  // The body must arrive unread.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser("*", (_request, _body, done) => done(null));
  for (const path of ["/", "/*"])
    fastify.all(path, (request, reply) => {
      reply.hijack();
      mount.handle(request.raw, reply.raw);
    });
  // Before the server waits for open connections: event streams would keep them open.
  fastify.addHook("preClose", stop);
}
