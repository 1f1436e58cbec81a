import type { Pages } from "@openseat/web";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Entrances } from "../../auth/entrances.ts";
import { sendPage } from "../../pages/page-document.ts";
import { sendRefusal } from "../envelope.ts";
import { sendNotFound } from "../errors.ts";
import { weightIn } from "./accept.ts";
import type { AllowedMethods } from "./allowed-methods.ts";
import type { Cors } from "./cors.ts";
import { addVary } from "./vary.ts";

interface NotFoundDeps {
  readonly methods: AllowedMethods;
  readonly entrances: Entrances;
  readonly pages: Pages | undefined;
  readonly cors: Cors | undefined;
}

/** HT2: OPTIONS, wrong methods and unknown addresses. */
export function notFoundHandler({ methods, entrances, pages, cors }: NotFoundDeps) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (cors?.isPreflight(request)) return cors.sendPreflight(reply);
    const allowed = methods.of(request.url, entrances.admitsOperators(request.raw.socket));
    // A method may be allowed although the route found nothing, such as an asset of another build.
    if (allowed.length === 0 || (allowed.includes(request.method) && request.method !== "OPTIONS")) {
      if (pages && isForBrowser(request)) {
        addVary(reply, "accept");
        return sendPage(request, reply, pages, 404);
      }
      return sendNotFound(request, reply);
    }
    reply.header("allow", allowed.join(", "));
    return request.method === "OPTIONS" ? reply.code(204).send() : sendWrongMethod(request, reply, allowed);
  };
}

/** Programs accept any type; browsers name HTML. */
function isForBrowser({ method, headers }: FastifyRequest): boolean {
  return (method === "GET" || method === "HEAD") && (weightIn(headers.accept, "text/html") ?? 0) > 0;
}

function sendWrongMethod(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  allowed: string[],
): FastifyReply {
  const [path] = url.split("?", 1);
  return sendRefusal(reply, {
    code: "route.method-not-allowed",
    message: `${method} is not allowed at ${path}. Use ${allowed.join(", ")}.`,
    data: { allowed },
  });
}
