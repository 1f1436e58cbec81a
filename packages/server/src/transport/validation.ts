import type { Refusal } from "@openseat/kernel";
import { Ajv, type ErrorObject } from "ajv";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";

/** Bodies are taken as they are: `"50"` is not a number, and an unknown field is a mistake worth telling. */
const strict = withFormats(
  new Ajv({ allErrors: false, allowUnionTypes: true, useDefaults: true, verbose: true }),
);
/** Queries and headers are texts by nature. */
const coercing = withFormats(
  new Ajv({ allErrors: false, coerceTypes: true, useDefaults: true, verbose: true }),
);

function withFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv, ["date-time"]);
  // Narrower than the format's own: a leap second, or a zone without minutes, would become a time that is none.
  ajv.addFormat("date-time", { validate: isTime });
  return ajv;
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

function isTime(text: string): boolean {
  const millis = Date.parse(text);
  return timePattern.test(text) && isDay(text) && millis < Date.UTC(10_000, 0);
}

/** JavaScript takes 30 February for 2 March. */
export function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

const partNames: Record<string, string> = {
  body: "body",
  params: "path",
  querystring: "query",
  headers: "header",
};

export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const validate = (httpPart === "body" ? strict : coercing).compile(schema);
  const part = partNames[httpPart ?? "body"] ?? "body";
  const numbers = httpPart === "body" ? [] : numbersIn(schema);
  return (value) => {
    if (!validate(value ?? null)) return { error: new InvalidInput(explain(validate.errors ?? [], part)) };
    // "1e999" becomes Infinity, which is past every bound and yet passes them.
    const endless = numbers.find((name) => value[name] === Number.POSITIVE_INFINITY);
    return endless ? { error: new InvalidInput(invalidInput(part, endless, "is too large")) } : { value };
  };
};

function numbersIn({ properties = {} }: { properties?: Record<string, { type?: unknown }> }): string[] {
  return Object.keys(properties).filter((name) => properties[name].type === "integer");
}

/** For what does not come through Fastify. Undefined when the value is good. */
export function validator(schema: object, part = "message"): (value: unknown) => Refusal | undefined {
  const validate = strict.compile(schema);
  return (value) => (validate(value) ? undefined : explain(validate.errors ?? [], part));
}

/** LM1: input that breaks its schema, with the field named. */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function invalidInput(part: string, field: string, problem: string): Refusal {
  return { code: "input.invalid", message: `${field} ${problem}.`, data: { in: part, field, problem } };
}

/** Whoever made it up cannot mean anything by it. */
export const unknownCursor = invalidInput("query", "cursor", "must be the nextCursor of the page before");

function explain(errors: readonly ErrorObject[], part: string): Refusal {
  const error = mostTelling(errors);
  const path = error.instancePath.slice(1).replaceAll("/", ".");
  const under = (name: unknown) => (path ? `${path}.${String(name)}` : String(name));
  switch (error.keyword) {
    case "required":
      return invalidInput(part, under(error.params.missingProperty), "is missing");
    case "additionalProperties":
      return invalidInput(part, under(error.params.additionalProperty), "is not a field of this request");
    case "enum":
    case "const":
      return invalidInput(
        part,
        path || part,
        `must be one of ${[error.params.allowedValues ?? error.params.allowedValue].flat().join(", ")}`,
      );
    default:
      return invalidInput(part, path || part, describe(error));
  }
}

function describe({ keyword, message, parentSchema, params, data }: ErrorObject): string {
  const { description } = (parentSchema ?? {}) as { description?: string };
  switch (keyword) {
    case "pattern":
      return description ? `must be: ${description.replace(/\.$/, "")}` : message!;
    case "minimum":
      return `must be ${params.limit} or more`;
    case "maximum":
      return `must be ${params.limit} or less`;
    case "type":
      if (params.type === "integer")
        return `must be a whole number${typeof data === "string" ? ", not text" : ""}`;
  }
  return message ?? "is not valid";
}

/** Of the branches of a union, the one that got furthest is the one that was meant. */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject {
  const telling = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "type");
  return [...telling, ...errors].reduce((best, error) =>
    error.instancePath.length > best.instancePath.length ? error : best,
  );
}
