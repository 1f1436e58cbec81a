import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import { type RefusalCode, refusals } from "@openseat/kernel";
import { Failure } from "@openseat/protocol";
import type { FastifySchema, RouteOptions } from "fastify";
import type { Access } from "../../auth/access.ts";
import { accessSentence } from "./access-sentence.ts";
import { withComponents } from "./components.ts";
import { exampleOf, type Schema } from "./examples.ts";
import { tagOf, tags } from "./tags.ts";

const introduction = readFileSync(new URL("./introduction.md", import.meta.url), "utf8");

/** Options for generating OpenAPI from the schemas of the routes. */
export function openApiOptions(version: string, server: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Openseat",
        version,
        description: introduction,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" } as { name: string },
      },
      servers: [{ url: server }],
      tags: [...tags],
      components: {
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            description: "A guest's token, a token of your own issuer, the service key or the operator key.",
          },
        },
      },
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({
      schema: schema?.hide ? schema : documented(schema, route),
      url,
    }),
    transformObject: (given) =>
      "openapiObject" in given ? withComponents(given.openapiObject) : given.swaggerObject,
  };
}

function documented(given: FastifySchema, route: RouteOptions): FastifySchema {
  const { refusals = [], body, response, ...schema } = given;
  const own = [...refusalsOfRoom(route), ...refusals];
  const access = route.config!.access!;
  return {
    ...schema,
    ...(body !== undefined && { body: withExample(body as Schema) }),
    tags: [tagOf(route.url)],
    description: descriptionOf(access, own),
    // OpenAPI only says whether a token is needed, not whose.
    ...({ "x-access": access } as object),
    security: access === "public" ? [] : [{ bearer: [] }],
    response: {
      ...successes(response as Responses),
      ...failures([...commonRefusals(given, route), ...own]),
    },
  };
}

function withExample(body: Schema): Schema {
  const example = exampleOf(body);
  return example === undefined ? body : { ...body, examples: [example] };
}

type Responses = Readonly<Record<string, Schema>> | undefined;

function successes(responses: Responses): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(responses ?? { 200: { type: "string" } })
      .filter(([status]) => status.startsWith("2"))
      .map(([status, schema]) => [
        status,
        { "x-response-description": successWords[status] ?? "Success", ...schema },
      ]),
  );
}

const successWords: Readonly<Record<string, string>> = {
  201: "Created. A repeated request gets the same answer.",
  202: "Accepted. The work continues after the answer.",
  204: "Done.",
};

/**
 * The same schema for every route, so that clients have one type per status. Descriptions list the refusal codes of
 * each route.
 */
function failures(codes: readonly RefusalCode[]): Record<string, Schema> {
  const statuses = new Set(codes.map((code) => refusals[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      { ...(Failure as object), "x-response-description": STATUS_CODES[status] },
    ]),
  );
}

/** The room that a path names may be missing, and what has ended does not change. */
function refusalsOfRoom({ method, url }: RouteOptions): RefusalCode[] {
  if (url.includes("/ladders/:id")) return ["ladder.not-found"];
  // `can-join` answers with reasons instead.
  if (!/\/(?:games|arenas|queues)\/:id/.test(url) || url.endsWith("/can-join")) return [];
  return method === "GET" ? ["room.not-found"] : ["room.not-found", "room.ended"];
}

/** The refusals that follow from a route's input, method and access. */
function commonRefusals(schema: FastifySchema, { method, url, config }: RouteOptions): RefusalCode[] {
  const { params, querystring, headers, body } = schema;
  const takesKey = headers !== undefined && "idempotency-key" in ((headers as Schema).properties ?? {});
  const isOfRoom = url.includes("/:id");
  const codes: readonly (RefusalCode | false)[] = [
    (params || querystring || body) !== undefined && "input.invalid",
    ...(body ? (["input.too-slow", "input.too-large", "input.unsupported-type"] as const) : []),
    ...(config?.access === "public" ? [] : (["auth.missing", "auth.forbidden"] as const)),
    ...(["auth.invalid", "auth.expired", "auth.unreachable"] as const),
    takesKey && "key.reused",
    method !== "GET" && isOfRoom && "room.conflict",
    ...(["limit.address", "limit.person"] as const),
    isOfRoom && "log.damaged",
    url.includes("/arenas/:id") && "rules.missing",
    ...(["server.busy", "server.stopping", "log.unavailable", "server.fault"] as const),
  ];
  return codes.filter((code) => code !== false);
}

/** Who may use the route, and its own refusals. Refusals that many routes share appear only as statuses. */
function descriptionOf(access: Access, own: readonly RefusalCode[]): string {
  const rows = own.map((code) => `- \`${code}\` (${refusals[code].status}): ${refusals[code].means}`);
  return [accessSentence(access), ...(rows.length > 0 ? ["", "Refusals:", "", ...rows] : [])].join("\n");
}
