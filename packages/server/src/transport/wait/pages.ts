import type { Refusal, RefusalCode } from "@openseat/kernel";
import {
  type ErrorKind,
  errorPage,
  type Language,
  languageOf,
  waitScriptPath,
  waitSecurityPolicy,
} from "@openseat/web";
import type { FastifyReply, FastifyRequest } from "fastify";
import { failure, headersOf } from "../http/envelope.ts";

export type WithQueue = { Params: { queue: string }; Querystring: { return?: unknown } };
export type PageRequest = FastifyRequest<WithQueue>;

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  // A page holds one person's place: no cache may show it to another, nor to them when it is no longer true.
  "cache-control": "no-store",
  "content-security-policy": waitSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
} as const;

export function pageBasics({ headers, basePath }: FastifyRequest): {
  readonly base: string;
  readonly language: Language;
  readonly script: string;
} {
  return { base: basePath, language: languageOf(headers["accept-language"]), script: waitScriptPath };
}

export function sendPage(reply: FastifyReply, page: string, status = 200): FastifyReply {
  return reply.code(status).headers(pageHeaders).send(page);
}

/** 303: whatever was asked, the next address is fetched with GET. */
export function goOn(reply: FastifyReply, address: string): FastifyReply {
  return reply.code(303).header("cache-control", "no-store").header("location", address).send();
}

const kinds: Partial<Record<RefusalCode, ErrorKind>> = {
  "room.not-found": "no-such-queue",
  "return.not-allowed": "return-not-allowed",
  "line.full": "line-full",
  "auth.guests-off": "guests-off",
  "limit.address": "too-fast",
  "server.busy": "busy",
  "server.stopping": "busy",
  "log.unavailable": "busy",
};

const spreadSeconds = 10;

/** Without it, all who were refused together would come back in the same second. */
function spread(retryAfterSeconds: number): number {
  return retryAfterSeconds + 1 + Math.floor(Math.random() * spreadSeconds);
}

/** What would be a refusal in the API, in words for people, with the way back to the line. */
export function fail(
  request: PageRequest,
  reply: FastifyReply,
  refusal: Refusal,
  visit?: { readonly returnTo: string | undefined },
): FastifyReply {
  const { code } = refusal;
  const answer = failure(refusal);
  const { status, retryAfterSeconds } = answer;
  const wanted = request.query.return;
  const asked = typeof wanted === "string" && code !== "return.not-allowed" ? wanted : undefined;
  const returnTo = visit ? visit.returnTo : asked;
  for (const [name, value] of headersOf(answer, reply.request.basePath)) reply.header(name, value);
  const page = errorPage({
    ...pageBasics(request),
    kind: kinds[code] ?? "failed",
    status,
    code,
    queue: request.params.queue,
    ...(returnTo !== undefined && { returnTo }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds: spread(retryAfterSeconds) }),
  });
  return sendPage(reply, page, status);
}
