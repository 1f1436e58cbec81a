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
export type FastRoutes = { readonly basePath: string; add(route: FastRoute): void } | undefined;

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
  const facts = factsOf({ method, url, config });
  // OP2: requests come with the path of the public address, or without it.
  for (const basePath of new Set(fastPath && ["", fastPath.basePath]))
    fastPath?.add(new FastRoute(facts, route as FastRouteOptions<unknown>, basePath));
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
  /** How its first line begins, and how it ends after the id. */
  readonly #lineStart: string;
  readonly #lineEnd: string;
  readonly #hasId: boolean;
  readonly #checkParams: Check | undefined;
  readonly #checkHeaders: Check | undefined;
  readonly #checkBody: Check | undefined;
  readonly #needsKey: boolean;
  readonly #needsBody: boolean;

  constructor(facts: RouteFacts, { schema, handle }: FastRouteOptions<unknown>, basePath = "") {
    this.facts = facts;
    this.handle = handle;
    const [before, after] = facts.url.split(":id");
    this.#hasId = after !== undefined;
    this.#lineStart = `${facts.method} ${basePath}${before}`;
    this.#lineEnd = `${after ?? ""} HTTP/1.1\r\n`;
    this.#checkParams = checkOf(schema.params, "params");
    this.#checkHeaders = checkOf(schema.headers, "headers");
    this.#needsKey = this.#checkHeaders?.({}).error !== undefined;
    this.#checkBody = facts.method === "GET" ? undefined : checkOf(schema.body, "body");
    this.#needsBody = this.#checkBody?.(undefined).error !== undefined;
  }

  /** The id in the first line of a request; undefined when the line is another route's. */
  idIn(text: string): string | undefined {
    if (!text.startsWith(this.#lineStart)) return undefined;
    const start = this.#lineStart.length;
    if (!this.#hasId) return text.startsWith(this.#lineEnd, start) ? "" : undefined;
    plainId.lastIndex = start;
    if (!plainId.test(text)) return undefined;
    const end = plainId.lastIndex;
    return text.startsWith(this.#lineEnd, end) ? text.slice(start, end) : undefined;
  }

  /** What is asked, where all of it is such as the schema wants; undefined where Fastify has to judge it. */
  read(text: string, request: PlainRequest, bytes: Buffer): RawAsk | undefined {
    const id = this.idIn(text)!;
    const { headers, bodyStart, end } = request;
    const { "content-type": type, "idempotency-key": key, "user-agent": userAgent } = headers;
    if (this.#checkParams?.({ id }).error) return undefined;
    if (key === undefined ? this.#needsKey : this.#checkHeaders?.({ "idempotency-key": key }).error)
      return undefined;
    if (!jsonTypes.includes(type?.toLowerCase())) return undefined;
    if (end === bodyStart) return this.#needsBody ? undefined : { id, key, body: undefined, userAgent };
    if (type === undefined || this.facts.method === "GET") return undefined;
    const value = parsed(bytes.toString("utf8", bodyStart, end));
    if (value === undefined) return undefined;
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

function checkOf(schema: unknown, httpPart: string): Check | undefined {
  if (schema === undefined) return undefined;
  return compileSchema({ schema: schema as object, httpPart, method: "", url: "" }) as Check;
}
