import type { Refusal, RefusalCode } from "@openseat/kernel";
import { type ErrorKind, errorPage, languageOf, waitAssets, waitSecurityPolicy } from "@openseat/web";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WaitingRooms } from "../../app/queues/waiting-rooms.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { failure, headersOf } from "../http/envelope.ts";
import type { ConcurrencyLimit } from "../limits/concurrency.ts";
import type { Visit } from "./visits.ts";

export interface WaitDeps {
  readonly waiting: WaitingRooms;
  readonly authenticator: Authenticator;
  readonly live: ConcurrencyLimit;
  readonly publicUrl: string | undefined;
  readonly now: () => number;
  readonly noteFault: (error: unknown, what: string) => void;
  /** FD3: how often a stream sends the exact position. */
  readonly stateEveryMs?: number | undefined;
}

export type WithQueue = { Params: { queue: string }; Querystring: { return?: unknown } };
export type PageRequest = FastifyRequest<WithQueue>;

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  // A cache could show one person's place to another.
  "cache-control": "no-store",
  "content-security-policy": waitSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
} as const;

export function pageBasics({ headers, basePath }: FastifyRequest) {
  return {
    base: basePath,
    language: languageOf(headers["accept-language"]),
    script: waitAssets().scriptPath,
  };
}

export function sendPage(reply: FastifyReply, page: string, status = 200): FastifyReply {
  return reply.code(status).headers(pageHeaders).send(page);
}

/** 303: the browser fetches the next address with GET, whatever the method of the request was. */
export function goOn(reply: FastifyReply, address: string): FastifyReply {
  return reply.code(303).header("cache-control", "no-store").header("location", address).send();
}

const kinds: Partial<Record<RefusalCode, ErrorKind>> = {
  "room.ended": "closed",
  "room.not-found": "no-such-queue",
  "return.not-allowed": "return-not-allowed",
  "line.full": "line-full",
  "auth.guests-off": "guests-off",
  "limit.address": "too-fast",
  "server.busy": "busy",
  "server.stopping": "busy",
  "log.unavailable": "busy",
};

/** Without it, everyone refused at the same time would retry in the same second. */
function spread(retryAfterSeconds: number): number {
  return retryAfterSeconds + 1 + Math.floor(Math.random() * 10);
}

/** A refusal as a page, with a link back to the line. */
export function fail(
  request: PageRequest,
  reply: FastifyReply,
  refusal: Refusal,
  visit?: Pick<Visit, "returnTo" | "to">,
): FastifyReply {
  const { code } = refusal;
  const answer = failure(refusal);
  const { retryAfterSeconds } = answer;
  // To a browser, the page of an ended line is not a bad request but one that is gone for good.
  const status = code === "room.ended" ? 410 : answer.status;
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
    ...(visit?.to && { site: visit.to.address }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds: spread(retryAfterSeconds) }),
  });
  return sendPage(reply, page, status);
}
