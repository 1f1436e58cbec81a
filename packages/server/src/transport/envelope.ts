import { type Refusal, refusals } from "@openseat/kernel";
import type { Failure } from "@openseat/protocol";
import type { FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";
import { inTurn } from "./limits/pace-large-pages.ts";

/** What a handler answers, on HTTP and on the WebSocket alike. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly replayed?: boolean;
  readonly retryAfterSeconds?: number | undefined;
}

export function success(status: number, message: string, data: unknown, replayed = false): Answer {
  return { status, body: { success: true, message, data }, replayed };
}

export function failure({ code, message, data, retryable, retryAfterSeconds }: Refusal): Answer {
  const { status } = refusals[code];
  const body: Failure = { success: false, message, statusCode: status, code };
  if (data) body.data = withTimes(data);
  if (retryable) body.retryable = true;
  return { status, body, retryAfterSeconds };
}

/** The kernel counts milliseconds; people read dates. By the name of the field: `joinedAt`, `endsAt`. */
function withTimes(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === "number" && name.endsWith("At") ? new Date(value).toISOString() : value,
    ]),
  );
}

const noHeaders: readonly (readonly [name: string, value: string])[] = [];

/** The headers of an answer beside those that every answer has. */
export function headersOf({ status, replayed, retryAfterSeconds = 1 }: Answer): typeof noHeaders {
  const isLater = status === 503 || status === 429;
  if (!replayed && !isLater) return noHeaders;
  return [
    ...(replayed ? [["idempotent-replayed", "true"] as const] : []),
    ...(isLater ? [["retry-after", String(retryAfterSeconds)] as const] : []),
  ];
}

export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  for (const [name, value] of headersOf(answer)) reply.header(name, value);
  return reply.code(answer.status).send(answer.body);
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  return send(reply, failure(refusal));
}

/** A handler that gives an answer. It keeps Fastify from waiting for the reply to be flushed, which costs on every request. */
export function answering<Route extends RouteGenericInterface>(
  make: (request: FastifyRequest<Route>) => Promise<Answer>,
) {
  return (request: FastifyRequest<Route>, reply: FastifyReply): void =>
    inTurn(request as FastifyRequest, () =>
      make(request).then(
        (answer) => void send(reply, answer),
        (error: Error) => void reply.send(error),
      ),
    );
}
