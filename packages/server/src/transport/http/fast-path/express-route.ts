import type { FastifyInstance, FastifyRequest, FastifySchema } from "fastify";
import type { Identity, Role } from "../../../app/identity.ts";
import { type Answer, answering } from "../envelope.ts";
import { keyOf } from "../schemas.ts";
import type { ExpressLane } from "./lane.ts";

/** What a handler is asked, whichever way the request came. */
export interface ExpressAsk<Body = unknown> {
  readonly identity: Identity;
  /** The `:id` of the path; empty on routes that have none. */
  readonly id: string;
  readonly key: string | undefined;
  /** As the schema wants it; undefined when the request has none. */
  readonly body: Body;
  readonly userAgent: string | undefined;
  /** LM8: where the request came from, as limits per address count it. */
  readonly address: string;
}

export interface ExpressRoute<Body = unknown> {
  readonly method: "GET" | "POST";
  /** A path with `:id` in it once, or not at all. */
  readonly url: string;
  readonly access: readonly Role[];
  /** As in the configuration of Fastify's routes. */
  readonly isBegun?: boolean;
  readonly cost?: number;
  /** What a request must fit: `params`, `headers` (of which the lane knows the key), `body`. */
  readonly schema: FastifySchema;
  readonly handle: (ask: ExpressAsk<Body>) => Answer | Promise<Answer>;
}

/** A route that is answered from the express lane when the request is plain and good, and by Fastify otherwise. */
export function expressRoute<Body>(app: FastifyInstance, lane: ExpressLane, route: ExpressRoute<Body>): void {
  const { method, url, access, isBegun, cost, schema, handle } = route;
  lane.add(route as ExpressRoute);
  app.route({
    method,
    url,
    // The lane has no time to compress; what it answers is short.
    config: {
      access,
      isCompressed: false,
      ...(isBegun !== undefined && { isBegun }),
      ...(cost !== undefined && { cost }),
    },
    schema,
    // By the schema, fields could come in another order, or not at all: the same answer must have the same bytes.
    serializerCompiler: () => JSON.stringify,
    handler: answering(async (request) => handle(askOf<Body>(request))),
  });
}

function askOf<Body>(request: FastifyRequest): ExpressAsk<Body> {
  return {
    identity: request.identity!,
    id: (request.params as { id?: string }).id ?? "",
    key: keyOf(request),
    body: (request.body ?? undefined) as Body,
    userAgent: request.headers["user-agent"],
    address: request.address,
  };
}
