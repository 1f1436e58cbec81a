import { hash } from "node:crypto";
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from "fastify";
import type { Access } from "../../auth/access.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the answer to somebody with a token holds what is theirs; false by default. */
    isPersonal?: boolean;
  }
}

/**
 * HT3: what anyone may read can be kept, and asked for again by its tag. The tag is made from the answer, in which the
 * version of the room is: some answers, such as statistics, change while the version does not.
 */
export function tagAnswers(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { access, isPersonal = false } = route.config ?? {};
    if (!isTagged(String(route.method), route.url, access)) return;
    route.onSend = [tagWhatIsPublic(isPersonal), ...[route.onSend ?? []].flat()];
  });
}

function isTagged(method: string, url: string, access: Access | undefined): boolean {
  return access === "public" && (method === "GET" || method === "HEAD") && url.startsWith("/api/v1/");
}

function tagWhatIsPublic(isPersonal: boolean): onSendHookHandler {
  return (request, reply, payload, done) => {
    const isOwn = isPersonal && request.identity !== null;
    // Nothing is sent to HEAD in place of what is streamed, and a tag of nothing would be the same for ever.
    if (reply.statusCode !== 200 || typeof payload !== "string" || payload === "" || isOwn) {
      done(null, payload);
      return;
    }
    // Weak, as it stands for the answer however it is compressed.
    const tag = `W/"${hash("sha1", payload, "base64url")}"`;
    reply.header("cache-control", "no-cache").header("etag", tag);
    if (!isKnown(request, tag)) {
      done(null, payload);
      return;
    }
    reply.code(304).removeHeader("content-type");
    // To HEAD, Fastify itself sends no body, and it fails without one to measure.
    done(null, request.method === "HEAD" ? payload : null);
  };
}

/** Whether the client has the answer with this tag already. */
export function isKnown({ headers }: FastifyRequest, tag: string): boolean {
  const known = headers["if-none-match"];
  if (known === undefined) return false;
  const strong = tag.slice(2);
  return known.split(",").some((one) => {
    const given = one.trim();
    return given === tag || given === strong || given === "*";
  });
}
