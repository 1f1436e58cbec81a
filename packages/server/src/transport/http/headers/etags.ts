import { hash } from "node:crypto";
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the response to a request with a token contains data of that person; false by default. */
    isPersonal?: boolean;
  }
}

/**
 * HT3: public responses have an ETag, a hash of the body. A version would not do: some data, such as statistics, changes without
 * it.
 */
export function tagAnswers(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { access, isPersonal = false } = route.config ?? {};
    const isRead = route.method === "GET" || route.method === "HEAD";
    if (access !== "public" || !isRead || !route.url.startsWith("/api/v1/")) return;
    route.onSend = [tagWhatIsPublic(isPersonal), ...[route.onSend ?? []].flat()];
  });
}

function tagWhatIsPublic(isPersonal: boolean): onSendHookHandler {
  return (request, reply, payload, done) => {
    const isOwn = isPersonal && request.identity !== null;
    // Fastify sends a stream to HEAD as an empty text, whose tag would never change.
    if (reply.statusCode !== 200 || typeof payload !== "string" || payload === "" || isOwn)
      return done(null, payload);
    // A weak tag, because it covers the response in every encoding.
    const tag = `W/"${hash("sha1", payload, "base64url")}"`;
    reply.header("cache-control", "no-cache").header("etag", tag);
    if (!isKnown(request, tag)) return done(null, payload);
    reply.code(304).removeHeader("content-type");
    // For HEAD, Fastify removes the body itself, and it fails without one to measure.
    done(null, request.method === "HEAD" ? payload : null);
  };
}

export function isKnown({ headers }: FastifyRequest, tag: string): boolean {
  const known = headers["if-none-match"];
  if (known === undefined) return false;
  const strong = tag.slice(2);
  return known.split(",").some((one) => {
    const given = one.trim();
    return given === tag || given === strong || given === "*";
  });
}
