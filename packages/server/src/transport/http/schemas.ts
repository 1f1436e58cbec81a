import { Failure, Id, IdempotencyKey, Success } from "@openseat/protocol";
import type {
  FastifyContextConfig,
  FastifyRequest,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteShorthandOptions,
} from "fastify";
import Type, { type Static, type TSchema, type TUnknown } from "typebox";
import { about, type OperationId } from "./docs/operations.ts";

export const Keyed = Type.Object({ "idempotency-key": Type.Optional(IdempotencyKey) });
/** ID5: for requests that would take effect again if they were repeated without a key. */
export const KeyRequired = Type.Object({ "idempotency-key": IdempotencyKey });

/** For requests whose address says everything: an empty body, or an empty object. */
export const NoBody = Type.Union([Type.Null(), Type.Object({}, { additionalProperties: false })]);

export const idParams = Type.Object({ id: Id });

/** A route's schema: its input, its response, and the format of every failure. */
export function schema(
  operation: OperationId,
  takes: Pick<FastifySchema, "params" | "headers" | "querystring" | "body">,
  status: number,
  data: TSchema,
): FastifySchema {
  return {
    ...about(operation),
    ...takes,
    response: { [status]: Success(data), "4xx": Failure, "5xx": Failure },
  };
}

/** The schema of a request that may be repeated under its key. By default it has no body. */
export function keyed(
  operation: OperationId,
  data: TSchema,
  takes: { readonly params?: TSchema; readonly body?: TSchema } = {},
  status = 200,
): ReturnType<typeof schema> {
  return schema(operation, { headers: Keyed, body: NoBody, ...takes }, status, data);
}

/** The input of a handler, by the schemas of its route. */
type Typed<Params extends TSchema, Query extends TSchema, Body extends TSchema> = RouteShorthandOptions<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  { Params: Static<Params>; Querystring: Static<Query>; Body: Static<Body> }
>;

/** The options of a route: who may use it, and its schema. */
export function route<
  Params extends TSchema = TUnknown,
  Query extends TSchema = TUnknown,
  Body extends TSchema = TUnknown,
>(
  config: FastifyContextConfig,
  operation: OperationId,
  data: TSchema,
  takes: { readonly params?: Params; readonly querystring?: Query; readonly body?: Body } = {},
  status = 200,
): Typed<Params, Query, Body> {
  return { config, schema: schema(operation, takes, status, data) };
}

/** The same for requests that may be repeated under their key. */
export function keyedRoute<Params extends TSchema = TUnknown, Body extends TSchema = TUnknown>(
  config: FastifyContextConfig,
  operation: OperationId,
  data: TSchema,
  takes: { readonly params?: Params; readonly body?: Body } = {},
  status = 200,
): Typed<Params, TUnknown, Body> {
  return { config, schema: keyed(operation, data, takes, status) };
}

export function keyOf(request: FastifyRequest): string | undefined {
  return request.headers["idempotency-key"] as string | undefined;
}

/** The schema of every page has a default limit. */
export function pageOf({ cursor, limit }: { cursor?: string; limit?: number }) {
  return { cursor: cursor === undefined ? undefined : Number(cursor), limit: limit! };
}

/** The same for lists of rooms. */
export function roomPageOf({ status, ...query }: { status?: string; cursor?: string; limit?: number }) {
  const { cursor: before, limit } = pageOf(query);
  return { status, before, limit };
}
