import type { FastifyInstance, FastifyRequest, FastifySchema } from "fastify";
import type { Identity, Role } from "../../../app/identity.ts";
import { type Answer, answering } from "../envelope.ts";
import { factsOf, type RouteFacts } from "../pipeline.ts";
import { keyOf } from "../schemas.ts";
import { compileSchema } from "../validation.ts";
import type { PlainRequest } from "./plain-request.ts";

/** What a handler is asked, whichever way the request came. */
export interface FastAsk<Body = unknown> {
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

/** What the bytes of a request say, before it is known who asks. */
export type RawAsk = Omit<FastAsk, "identity" | "address">;

interface FastRouteOptions<Body> {
  readonly method: "GET" | "POST";
  /** A path with `:id` in it once, or not at all. */
  readonly url: string;
  readonly access: readonly Role[];
  /** As in the configuration of Fastify's routes. */
  readonly isBegun?: boolean;
  readonly cost?: number;
  /** What a request must fit: `params`, `headers` (of which the fast path knows the key), `body`. */
  readonly schema: FastifySchema;
  readonly handle: (ask: FastAsk<Body>) => Answer | Promise<Answer>;
}

/** Where fast routes are put; undefined when the fast path is turned off. */
export type FastRoutes = { add(route: FastRoute): void } | undefined;

/** A route that is answered on the fast path when the request is plain and well-formed, and by Fastify otherwise. */
export function fastRoute<Body>(
  app: FastifyInstance,
  fastPath: FastRoutes,
  route: FastRouteOptions<Body>,
): void {
  const { method, url, access, isBegun, cost, schema, handle } = route;
  const config = {
    access,
    // The fast path has no time to compress; what it answers is short.
    isCompressed: false,
    ...(isBegun !== undefined && { isBegun }),
    ...(cost !== undefined && { cost }),
  };
  fastPath?.add(new FastRoute(factsOf({ method, url, config }), route as FastRouteOptions<unknown>));
  app.route({
    ...{ method, url, config, schema },
    // By the schema, fields could come in another order, or not at all: the same answer must have the same bytes.
    serializerCompiler: () => JSON.stringify,
    handler: answering(async (request) => handle(askOf<Body>(request))),
  });
}

function askOf<Body>(request: FastifyRequest): FastAsk<Body> {
  return {
    identity: request.identity!,
    id: (request.params as { id?: string }).id ?? "",
    key: keyOf(request),
    body: (request.body ?? undefined) as Body,
    userAgent: request.headers["user-agent"],
    address: request.address,
  };
}

/** Of whatever an id may be, the part that is written in a path as it is. The route's own schema says the rest. */
const plainId = /[A-Za-z0-9_.-]{1,120}/y;

const jsonTypes: readonly (string | undefined)[] = [
  undefined,
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
];

/** Fastify's parser refuses some names, however they are spelt; escapes of ASCII are how they could be spelt otherwise. */
const suspicious = /__proto__|constructor|\\u00/;

type Check = (value: unknown) => { value?: unknown; error?: unknown };

/** A route as the fast path holds it: told by its first line, and knowing what it takes. */
export class FastRoute {
  readonly facts: RouteFacts;
  readonly handle: (ask: FastAsk) => Answer | Promise<Answer>;
  readonly #before: string;
  readonly #after: string | undefined;
  readonly #checkParams: Check | undefined;
  readonly #checkHeaders: Check | undefined;
  readonly #checkBody: Check | undefined;
  readonly #needsKey: boolean;

  constructor(facts: RouteFacts, { schema, handle }: FastRouteOptions<unknown>) {
    this.facts = facts;
    this.handle = handle;
    const [before, after] = facts.url.split(":id");
    this.#before = before;
    this.#after = after;
    this.#checkParams = checkOf(schema.params, "params");
    this.#checkHeaders = checkOf(schema.headers, "headers");
    this.#needsKey = this.#checkHeaders?.({}).error !== undefined;
    this.#checkBody = facts.method === "GET" ? undefined : checkOf(schema.body, "body");
  }

  /** The id in the first line of a request; undefined when the line is another route's. */
  idIn(text: string, basePath: string): string | undefined {
    const { method } = this.facts;
    if (!text.startsWith(method)) return undefined;
    let at = method.length + 1;
    if (basePath !== "" && text.startsWith(basePath, at)) at += basePath.length;
    if (!text.startsWith(this.#before, at)) return undefined;
    at += this.#before.length;
    if (this.#after === undefined) return text.startsWith(lineEnd, at) ? "" : undefined;
    plainId.lastIndex = at;
    if (!plainId.test(text)) return undefined;
    const idEnd = plainId.lastIndex;
    const isOurs =
      text.startsWith(this.#after, idEnd) && text.startsWith(lineEnd, idEnd + this.#after.length);
    return isOurs ? text.slice(at, idEnd) : undefined;
  }

  /** What is asked, where all of it is such as the schema wants; undefined where Fastify has to judge it. */
  read(id: string, request: PlainRequest, bytes: Buffer): RawAsk | undefined {
    const { headers, bodyStart, end } = request;
    const { "content-type": type, "idempotency-key": key, "user-agent": userAgent } = headers;
    if (this.#checkParams?.({ id }).error) return undefined;
    if (key === undefined ? this.#needsKey : this.#checkHeaders?.({ "idempotency-key": key }).error)
      return undefined;
    if (!jsonTypes.includes(type?.toLowerCase())) return undefined;
    let value: unknown;
    if (end > bodyStart) {
      if (type === undefined || this.facts.method === "GET") return undefined;
      value = parsed(bytes.toString("utf8", bodyStart, end));
      if (value === undefined) return undefined;
    }
    const checked = this.#checkBody?.(value);
    if (checked?.error) return undefined;
    return { id, key, body: (checked ? checked.value : value) ?? undefined, userAgent };
  }
}

/** Undefined for what is not JSON, and for what may be more than that. */
function parsed(text: string): unknown {
  if (suspicious.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const lineEnd = " HTTP/1.1\r\n";

function checkOf(schema: unknown, httpPart: string): Check | undefined {
  if (schema === undefined) return undefined;
  return compileSchema({ schema: schema as object, httpPart, method: "", url: "" }) as Check;
}
