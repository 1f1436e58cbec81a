import { type Refusal, type RefusalCode, refusals } from "@openseat/kernel";
import type { Failure } from "@openseat/protocol";
import type { FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";
import type { Result } from "../../app/result.ts";
import { inTimeSlice } from "../limits/pace-large-pages.ts";
import { keyOf } from "./schemas.ts";

/** The response of a handler, over HTTP and WebSocket. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly replayed?: boolean;
  readonly retryAfterSeconds?: number | undefined;
  readonly location?: string;
  /** For `WWW-Authenticate`. */
  readonly challenge?: string;
}

export type HeaderLine = readonly [name: string, value: string];

export function success(status: number, message: string, data: unknown, replayed = false): Answer {
  return { status, body: { success: true, message, data }, replayed };
}

/** The message of a success, which may depend on the value. */
type Text<Value> = string | ((value: Value) => string);

export function answerOf<Value>(result: Result<Value>, status: number, text: Text<Value>): Answer {
  if ("refusal" in result) return failure(result.refusal);
  const { value, replayed } = result;
  return success(status, typeof text === "string" ? text : text(value), value, replayed);
}

export function failure({ code, message, data, retryable, retryAfterSeconds }: Refusal): Answer {
  const { status } = refusals[code];
  const body: Failure = { success: false, message, statusCode: status, code };
  if (data) body.data = withTimes(data);
  if (retryable) body.retryable = true;
  const answer = { status, body, retryAfterSeconds };
  return status === 401 ? { ...answer, challenge: challengeFor(code) } : answer;
}

/** RFC 6750 distinguishes invalid tokens from missing ones. */
function challengeFor(code: RefusalCode): string {
  const isRefused = code === "auth.invalid" || code === "auth.expired";
  return isRefused ? 'Bearer realm="openseat", error="invalid_token"' : 'Bearer realm="openseat"';
}

/** Whether the request itself may be valid: the server failed, or cannot handle it now. */
export function isServerError({ code }: Refusal): boolean {
  return refusals[code].status >= 500;
}

/** Converts the kernel's milliseconds to dates. Fields such as `joinedAt` and `endsAt` hold times. */
function withTimes(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === "number" && name.endsWith("At") ? new Date(value).toISOString() : value,
    ]),
  );
}

const noHeaders: readonly HeaderLine[] = [];

/** The headers of a response, besides those that every response has. */
export function headersOf(answer: Answer, basePath: string): typeof noHeaders {
  const { status, replayed, retryAfterSeconds = 1, location, challenge } = answer;
  const isLater = status === 503 || status === 429;
  if (!replayed && !isLater && location === undefined && challenge === undefined) return noHeaders;
  const headers: HeaderLine[] = [];
  if (replayed) headers.push(["idempotent-replayed", "true"]);
  if (isLater) headers.push(["retry-after", String(retryAfterSeconds)]);
  if (location !== undefined) headers.push(["location", basePath + location]);
  if (challenge !== undefined) headers.push(["www-authenticate", challenge]);
  return headers;
}

export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  for (const [name, value] of headersOf(answer, reply.request.basePath)) reply.header(name, value);
  return reply.code(answer.status).send(answer.body);
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  return send(reply, failure(refusal));
}

/**
 * A handler that returns an answer; `key` is the Idempotency-Key. It keeps Fastify from waiting for the reply to be flushed,
 * which would cost time on every request.
 */
export function answering<Route extends RouteGenericInterface>(
  make: (request: FastifyRequest<Route>, key: string | undefined) => Promise<Answer>,
) {
  return (request: FastifyRequest<Route>, reply: FastifyReply): void =>
    inTimeSlice(request as FastifyRequest, () =>
      make(request, keyOf(request as FastifyRequest)).then(
        (answer) => void send(reply, answer),
        (error: Error) => void reply.send(error),
      ),
    );
}

type Run<Route extends RouteGenericInterface, Value> = (
  request: FastifyRequest<Route>,
  key: string | undefined,
) => Promise<Result<Value>>;

/** The same for the result of a use case, with the message of its success. */
export function saying<Route extends RouteGenericInterface, Value>(
  text: Text<Value>,
  run: Run<Route, Value>,
) {
  return answering<Route>(async (request, key) => answerOf(await run(request, key), 200, text));
}

/** The same for routes that create a room: 201, with its address. */
export function creating<
  Route extends RouteGenericInterface,
  Kind extends string,
  Value extends Readonly<Record<Kind, { readonly id: string }>>,
>(kind: Kind, text: string, run: Run<Route, Value>) {
  return answering<Route>(async (request, key) => {
    const result = await run(request, key);
    const answer = answerOf(result, 201, text);
    return "refusal" in result
      ? answer
      : { ...answer, location: `/api/v1/${kind}s/${result.value[kind].id}` };
  });
}
