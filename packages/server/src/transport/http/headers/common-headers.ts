import type { FastifyInstance } from "fastify";
import type { HeaderLine } from "../envelope.ts";
import type { Cors } from "./cors.ts";

/**
 * HT1: every answer has these. What is not said to be the same for all is not for caches: it may hold a token or somebody's
 * place. A route that knows better overrides it.
 */
export const commonHeaders: readonly HeaderLine[] = [
  ["x-content-type-options", "nosniff"],
  ["cache-control", "no-store"],
];

const common = Object.fromEntries(commonHeaders);

/** Puts them on all that Fastify answers. Must be added before every hook that may answer. */
export function sendCommonHeaders(app: FastifyInstance, cors: Cors | undefined): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(common);
    cors?.answer(request, reply);
    done();
  });
}
