import type { FastifyReply, FastifyRequest } from "fastify";
import type { AllowedOrigins } from "../../../config/allowed-origins.ts";
import type { HeaderLine } from "../envelope.ts";
import type { Exchange } from "../pipeline.ts";
import { blockOf, type HeaderBlock } from "./header-block.ts";
import { isHere } from "./here.ts";

/** What scripts of other sites may use: the API and its description. The pages are for people and use cookies. */
const sharedPattern = /^\/(?:api\/|openapi\.json|\.well-known\/)/;

const exposed: HeaderLine = [
  "access-control-expose-headers",
  "Retry-After, Idempotent-Replayed, Location, ETag, X-Request-Id",
];

const none = blockOf([]);

/** Browsers cache the answer no longer than this. */
const preflightSecondsMax = 7_200;

const preflight = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers":
    "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-Id",
  "access-control-max-age": String(preflightSecondsMax),
};

/** HT5: which other sites' pages may read API responses. Cookies are never allowed: only a token identifies the caller. */
export class Cors {
  readonly #listed: ReadonlySet<string> | undefined;
  readonly #publicUrl: string | undefined;
  readonly #shared: HeaderBlock;
  readonly #byOrigin = new Map<string, HeaderBlock>();

  constructor(origins: AllowedOrigins, publicUrl: string | undefined) {
    this.#listed = origins === "*" ? undefined : origins;
    this.#publicUrl = publicUrl;
    // A shared cache must not return the response for one site to another.
    const vary: HeaderLine = ["vary", "Origin"];
    this.#shared = blockOf(this.#listed ? [vary] : [["access-control-allow-origin", "*"], exposed]);
    for (const origin of this.#listed ?? [])
      this.#byOrigin.set(origin, blockOf([vary, ["access-control-allow-origin", origin], exposed]));
  }

  readonly headersFor = ({ url, headers: { origin } }: Pick<Exchange, "url" | "headers">): HeaderBlock => {
    if (!sharedPattern.test(url)) return none;
    return (origin !== undefined && this.#byOrigin.get(origin)) || this.#shared;
  };

  isPreflight({ method, url, headers }: FastifyRequest): boolean {
    const { origin, "access-control-request-method": asked } = headers;
    if (method !== "OPTIONS" || origin === undefined || asked === undefined) return false;
    return sharedPattern.test(url) && (this.#listed === undefined || this.#listed.has(origin));
  }

  sendPreflight(reply: FastifyReply): FastifyReply {
    return reply.code(204).headers(preflight).send();
  }

  /** Browsers open WebSockets to any site, so the origin is checked here. Other programs send no origin. */
  mayConnect(request: FastifyRequest): boolean {
    const { origin } = request.headers;
    if (origin === undefined || this.#listed === undefined || this.#listed.has(origin)) return true;
    return isHere(request, origin, this.#publicUrl);
  }
}
