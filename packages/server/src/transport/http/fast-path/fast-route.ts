import type { FastifyInstance, FastifyRequest, FastifySchema } from "fastify";
import type { Identity, Role } from "../../../app/identity.ts";
import { type Answer, answering } from "../envelope.ts";
import { factsOf, type RouteFacts } from "../pipeline.ts";
import { keyOf } from "../schemas.ts";
import { compileSchema } from "../validation.ts";
import type { PlainRequest } from "./plain-request.ts";

/** The input of a handler, on the fast path and through Fastify. */
export interface FastAsk<Body = unknown> {
  readonly identity: Identity;
  /** The `:id` of the path; empty on routes without one. */
  readonly id: string;
  readonly key: string | undefined;
  /** As the schema requires; undefined if the request has none. */
  readonly body: Body;
  readonly userAgent: string | undefined;
  /** LM8: the key by which limits per address count the request. */
  readonly address: string;
}

/** What the bytes of a request contain, before authentication. */
export type RawAsk = Omit<FastAsk, "identity" | "address">;

interface FastRouteOptions<Body> {
  readonly method: "GET" | "POST";
  /** A path that contains `:id` at most once. */
  readonly url: string;
  readonly access: readonly Role[];
  /** As in the configuration of Fastify's routes. */
  readonly isBegun?: boolean;
  readonly cost?: number;
  /** What a request must match: `params`, `headers` (of which the fast path knows only the key), `body`. */
  readonly schema: FastifySchema;
  readonly handle: (ask: FastAsk<Body>) => Answer | Promise<Answer>;
}

/** Where fast routes are registered; undefined if the fast path is turned off. */
export type FastRoutes = { readonly basePath: string; add(route: FastRoute): void } | undefined;

/** A route that the fast path answers if the request is plain and valid, and Fastify otherwise. */
export function fastRoute<Body>(
  app: FastifyInstance,
  fastPath: FastRoutes,
  route: FastRouteOptions<Body>,
): void {
  const { method, url, access, isBegun, cost, schema, handle } = route;
  const config = {
    access,
    // The fast path does not compress, because its responses are short.
    isCompressed: false,
    ...(isBegun !== undefined && { isBegun }),
    ...(cost !== undefined && { cost }),
  };
  const facts = factsOf({ method, url, config });
  // OP2: requests arrive with the path of the public address, or without it.
  for (const basePath of new Set(fastPath && ["", fastPath.basePath]))
    fastPath?.add(new FastRoute(facts, route as FastRouteOptions<unknown>, basePath));
  app.route({
    ...{ method, url, config, schema },
    // A schema serializer could reorder or drop fields: both ways must produce the same bytes.
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

/** The subset of ids that appear unescaped in a path. The route's own schema checks the rest. */
const plainId = /[A-Za-z0-9_.-]{1,120}/y;

const jsonTypes: readonly (string | undefined)[] = [
  undefined,
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
];

/** Fastify's parser refuses some names in every spelling, including escaped ASCII. */
const suspicious = /__proto__|constructor|\\u00/;

type Check = (value: unknown) => { value?: unknown; error?: unknown };

/** A route on the fast path: how to recognise its first line, and which input it accepts. */
export class FastRoute {
  readonly facts: RouteFacts;
  readonly handle: (ask: FastAsk) => Answer | Promise<Answer>;
  /** The first line before and after the id. */
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

  /** The id in the first line of a request; undefined if the line belongs to another route. */
  idIn(text: string): string | undefined {
    if (!text.startsWith(this.#lineStart)) return undefined;
    const start = this.#lineStart.length;
    if (!this.#hasId) return text.startsWith(this.#lineEnd, start) ? "" : undefined;
    plainId.lastIndex = start;
    if (!plainId.test(text)) return undefined;
    const end = plainId.lastIndex;
    return text.startsWith(this.#lineEnd, end) ? text.slice(start, end) : undefined;
  }

  /** The input, if all of it matches the schema; undefined if Fastify has to judge it. */
  read(id: string, request: PlainRequest, bytes: Buffer): RawAsk | undefined {
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

/** Undefined for invalid JSON, and for JSON that Fastify's parser might refuse. */
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
