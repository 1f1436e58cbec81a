import type { Refusal } from "@openseat/kernel";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { type Fault, invalidInput } from "./invalid-input.ts";

/** `all` goes on after the first fault, which takes longer. It is used only for values that have one. */
interface Checks {
  readonly first: Ajv;
  readonly all: Ajv;
}

/** Bodies are taken as they are: `"50"` is not a number, and an unknown field is a mistake worth telling. */
const strictChecks = checksOf({ allowUnionTypes: true });
/** Queries and headers are texts by nature. */
export const coercingChecks = checksOf({ coerceTypes: true });

/** Of larger input only the first fault is told: looking for all of them could take long. */
const judgedValuesMax = 500;
const toldFaultsMax = 20;
/** No schema goes deeper. A name that somebody sends may have thousands of dots. */
const faultDepthMax = 16;

function checksOf(options: Options): Checks {
  const withAll = (allErrors: boolean) =>
    withFormats(new Ajv({ ...options, useDefaults: true, verbose: true, allErrors }));
  return { first: withAll(false), all: withAll(true) };
}

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

/** Returns what is wrong with a value as the refusal to give; undefined when it is good. `part` names where it was. */
export function validator(
  schema: object,
  part = "message",
  { first, all }: Checks = strictChecks,
): (value: unknown) => Refusal | undefined {
  const validate = first.compile(schema);
  const faultsIn = inputFaults(all, schema);
  return (value) => {
    if (validate(value ?? null)) return undefined;
    const { field, problem } = faultOf(mostTelling(validate.errors ?? []), part);
    return invalidInput(part, field, problem, faultsIn(value, part));
  };
}

function faultOf(error: ErrorObject, part: string): Fault {
  const path = error.instancePath.slice(1).replaceAll("/", ".");
  const under = (name: unknown) => (path ? `${path}.${String(name)}` : String(name));
  switch (error.keyword) {
    case "required":
      return { field: under(error.params.missingProperty), problem: "is missing" };
    case "additionalProperties":
      return {
        field: under(error.params.additionalProperty),
        problem: "is not a field of this request",
      };
    case "enum":
    case "const":
      return {
        field: path || part,
        problem: `must be one of ${[error.params.allowedValues ?? error.params.allowedValue].flat().join(", ")}`,
      };
    default:
      return { field: path || part, problem: describe(error) };
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

/** Finds everything that is wrong with input, up to a limit. Compiles the schema when it is first needed. */
function inputFaults(ajv: Ajv, schema: object): (value: unknown, part: string) => readonly Fault[] {
  let validate: ValidateFunction | undefined;
  return (value, part) => {
    if (!isSmall(value)) return [];
    validate ??= ajv.compile(schema);
    return validate(value ?? null) ? [] : allFaults(validate.errors ?? [], part);
  };
}

/** One for each field: the most telling. */
function allFaults(errors: readonly ErrorObject[], part: string): readonly Fault[] {
  const byField = Map.groupBy(errors, (error) => faultOf(error, part).field);
  const outer = outerFields(byField.keys(), part);
  return [...byField.keys()]
    .filter((field) => !outer.has(field))
    .slice(0, toldFaultsMax)
    .map((field) => faultOf(mostTelling(byField.get(field)!), part));
}

/**
 * Fields that have other faulty fields in them: "body must be null" is said of a union whose other branch was meant. To compare
 * every field with every other would take long for hundreds of them.
 */
function outerFields(fields: Iterable<string>, part: string): ReadonlySet<string> {
  const outer = new Set<string>();
  let count = 0;
  for (const field of fields) {
    count++;
    let dot = field.indexOf(".");
    for (let depth = 0; dot >= 0 && depth < faultDepthMax; depth++) {
      outer.add(field.slice(0, dot));
      dot = field.indexOf(".", dot + 1);
    }
  }
  if (count > 1) outer.add(part);
  return outer;
}

function isSmall(value: unknown): boolean {
  const waiting = [value];
  let seen = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (++seen > judgedValuesMax) return false;
    if (typeof next === "object" && next !== null)
      for (const name in next) {
        waiting.push((next as Record<string, unknown>)[name]);
        if (waiting.length > judgedValuesMax) return false;
      }
  }
  return true;
}

/** Of the branches of a union, the one that got furthest is the one that was meant. */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject {
  const telling = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "type");
  return [...telling, ...errors].reduce((best, error) =>
    error.instancePath.length > best.instancePath.length ? error : best,
  );
}
