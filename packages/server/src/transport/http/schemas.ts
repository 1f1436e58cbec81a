import { Failure, IdempotencyKey, Success } from "@openseat/protocol";
import type { FastifyRequest, FastifySchema } from "fastify";
import Type, { type TSchema } from "typebox";

export const Keyed = Type.Object({ "idempotency-key": Type.Optional(IdempotencyKey) });
/** ID5: for requests that would do the same again when they are repeated without a key. */
export const KeyRequired = Type.Object({ "idempotency-key": IdempotencyKey });

/** For requests that say everything in their address: an empty body, or an empty object. */
export const NoBody = Type.Union([Type.Null(), Type.Object({}, { additionalProperties: false })]);

/** A route's schema: what it takes, what it answers, and the shape of every failure. */
export function schema(
  summary: string,
  takes: Pick<FastifySchema, "params" | "headers" | "querystring" | "body">,
  status: number,
  data: TSchema,
): FastifySchema & { summary: string; tags: string[] } {
  return {
    summary,
    tags: ["api"],
    ...takes,
    response: { [status]: Success(data), "4xx": Failure, "5xx": Failure },
  };
}

/** Of a request that may be repeated under its key. Without a body it says everything in its address. */
export function keyed(
  summary: string,
  data: TSchema,
  { params, body = NoBody }: { readonly params?: TSchema; readonly body?: TSchema } = {},
  status = 200,
): ReturnType<typeof schema> {
  return schema(summary, { ...(params && { params }), headers: Keyed, body }, status, data);
}

export function keyOf(request: FastifyRequest): string | undefined {
  return request.headers["idempotency-key"] as string | undefined;
}

export function pageOf(query: { cursor?: string; limit: number }): {
  cursor: number | undefined;
  limit: number;
} {
  return { cursor: query.cursor === undefined ? undefined : Number(query.cursor), limit: query.limit };
}
