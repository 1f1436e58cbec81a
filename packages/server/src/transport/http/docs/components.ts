import * as protocol from "@openseat/protocol";

type Json = Readonly<Record<string, unknown>>;

/** A name for each object of the protocol, by its schema as text. */
const names = new Map<string, string>();
for (const [name, schema] of Object.entries(protocol))
  if (isSchema(schema))
    names.set(JSON.stringify(plain(schema)), names.get(JSON.stringify(plain(schema))) ?? name);

function isSchema(value: unknown): value is Json {
  return typeof value === "object" && value !== null && ("properties" in value || "anyOf" in value);
}

interface RequestBody {
  readonly content: Readonly<Record<string, { readonly schema: Json }>>;
}

interface Operation {
  readonly parameters?: readonly Json[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Json>>;
}

/** Moves each repeated schema, parameter and response to the document's components, and refers to it by name. */
export function withComponents<Document extends object>(document: Document): Document {
  const { paths, components, ...rest } = document as Json;
  const schemas: Record<string, unknown> = {};
  const parameters = new Components("parameters");
  const responses = new Components("responses");
  const refer = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer);
    if (typeof value !== "object" || value === null) return value;
    const name = isSchema(value) ? names.get(JSON.stringify(plain(value))) : undefined;
    if (name === undefined) return mapped(value as Json, refer);
    schemas[name] ??= mapped(value as Json, refer);
    return { $ref: `#/components/schemas/${name}` };
  };
  const operation = (given: Operation) => ({
    ...given,
    ...bodyOf(given.requestBody),
    ...(given.parameters && {
      parameters: given.parameters.map((one) => parameters.refer(nameOf(String(one.name)), one)),
    }),
    responses: Object.fromEntries(
      Object.entries(given.responses).map(([status, one]) => [
        status,
        responses.refer(answerName(status, one), one),
      ]),
    ),
  });
  const referring = mapped(refer(paths) as Json, (methods) =>
    mapped(methods as Json, (one) => operation(one as Operation)),
  );
  return {
    ...rest,
    paths: referring,
    components: { ...(components as Json), schemas, parameters: parameters.all, responses: responses.all },
  } as unknown as Document;
}

/** A body that may be null is optional. A body that can only be empty is left out. */
function bodyOf(body: RequestBody | undefined): { readonly requestBody?: Json | undefined } {
  const { anyOf } = (body?.content["application/json"]?.schema ?? {}) as { anyOf?: readonly Json[] };
  if (!body || !anyOf?.some(({ type }) => type === "null")) return {};
  const isAlwaysEmpty = anyOf.every(({ type, properties = {} }) => {
    return type === "null" || (type === "object" && Object.keys(properties as Json).length === 0);
  });
  return { requestBody: isAlwaysEmpty ? undefined : { ...body, required: false } };
}

/** Components of one kind, by name. */
class Components {
  readonly #kind: string;
  readonly #all = new Map<string, { readonly text: string; readonly component: Json }>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  refer(name: string, component: Json): Json {
    const text = JSON.stringify(component);
    const known = this.#all.get(name);
    // A different component has this name already, so keep this one inline.
    if (known && known.text !== text) return component;
    this.#all.set(name, { text, component });
    return { $ref: `#/components/${this.#kind}/${name}` };
  }

  get all(): Json {
    return Object.fromEntries([...this.#all].map(([name, { component }]) => [name, component]));
  }
}

const failureNames: Readonly<Record<string, string>> = {
  ...{ 400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 405: "MethodNotAllowed" },
  ...{ 408: "RequestTimeout", 409: "Conflict", 410: "Gone", 413: "TooLarge", 415: "UnsupportedType" },
  ...{
    422: "KeyReused",
    429: "TooManyRequests",
    500: "ServerFault",
    501: "RulesMissing",
    503: "Unavailable",
  },
};

/** A success is named after the schema of its data. */
function answerName(status: string, response: Json): string {
  const data = /"data":\{"\$ref":"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(response))?.[1];
  return failureNames[status] ?? data ?? `Success${status}`;
}

function nameOf(parameter: string): string {
  return parameter.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function mapped(object: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

/** With sorted keys, and records in the form that @fastify/swagger writes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const { patternProperties, ...rest } = value as Json;
  const others = patternProperties as Json | undefined;
  const object = others ? { ...rest, additionalProperties: others["^.*$"] } : rest;
  return mapped(Object.fromEntries(Object.entries(object).sort()), plain);
}
