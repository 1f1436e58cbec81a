import { hash } from "node:crypto";
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the answer to a request with a token holds data of that person; false by default. */
    isPersonal?: boolean;
  }
}

/** HT3: public answers have an ETag. It hashes the answer: some, such as statistics, change while the version does not. */
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
    // Streams are sent to HEAD as an empty text, whose tag would never change.
    if (reply.statusCode !== 200 || typeof payload !== "string" || payload === "" || isOwn)
      return done(null, payload);
    // Weak, as it stands for the answer however it is compressed.
    const tag = `W/"${hash("sha1", payload, "base64url")}"`;
    reply.header("cache-control", "no-cache").header("etag", tag);
    if (!isKnown(request, tag)) return done(null, payload);
    reply.code(304).removeHeader("content-type");
    // To HEAD, Fastify itself sends no body, and it fails without one to measure.
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
