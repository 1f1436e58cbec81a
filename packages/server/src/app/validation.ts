import type { Refusal } from "@openseat/kernel";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { type Fault, invalidInput } from "./invalid-input.ts";

/** `all` finds every fault, which takes longer. It is used only for invalid values. */
interface Checks {
  readonly first: Ajv;
  readonly all: Ajv;
}

/** In bodies, `"50"` is not a number. */
const strictChecks = checksOf({ allowUnionTypes: true });
/** For queries and headers, which are text. */
export const coercingChecks = checksOf({ coerceTypes: true });

/** Larger input gets only its first fault reported, because finding all could take long. */
const judgedValuesMax = 500;
const toldFaultsMax = 20;
/** No schema is deeper, but a client's field name may contain thousands of dots. */
const faultDepthMax = 16;

function checksOf(options: Options): Checks {
  const withAll = (allErrors: boolean) => {
    // Do not validate the schemas themselves: compiling the schema of schemas delays the start. A test does it.
    const ajv = new Ajv({ ...options, useDefaults: true, verbose: true, allErrors, validateSchema: false });
    addFormats.default(ajv, ["date-time"]);
    // Ajv's own format accepts leap seconds and zones without minutes, which `Date.parse` does not.
    return ajv.addFormat("date-time", { validate: isTime });
  };
  return { first: withAll(false), all: withAll(true) };
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

function isTime(text: string): boolean {
  return timePattern.test(text) && isDay(text) && Date.parse(text) < Date.UTC(10_000, 0);
}

/** `Date.parse` takes 30 February for 2 March. */
export function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

/**
 * The check returns a refusal if the value is invalid. `part` is where the value came from, such as `body`. It is compiled on
 * first use: compiling all of them delays the start.
 */
export function validator(
  schema: object,
  part = "message",
  { first, all }: Checks = strictChecks,
): (value: unknown) => Refusal | undefined {
  const faultsIn = inputFaults(all, schema);
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= first.compile(schema);
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
      return { field: under(error.params.additionalProperty), problem: "is not a field of this request" };
    case "enum":
    case "const": {
      const allowed = [error.params.allowedValues ?? error.params.allowedValue].flat();
      return { field: path || part, problem: `must be one of ${allowed.join(", ")}` };
    }
    default:
      return { field: path || part, problem: describe(error) };
  }
}

function describe({ keyword, message, parentSchema, params, data }: ErrorObject): string {
  const { description } = (parentSchema ?? {}) as { description?: string };
  // Only the first sentence: the others say what the field is for.
  if (keyword === "pattern" && description) return `must be: ${description.replace(/\.( .*)?$/s, "")}`;
  if (keyword === "minimum") return `must be ${params.limit} or more`;
  if (keyword === "maximum") return `must be ${params.limit} or less`;
  if (keyword === "type" && params.type === "integer")
    return `must be a whole number${typeof data === "string" ? ", not text" : ""}`;
  return message ?? "is not valid";
}

/** Finds all faults, up to a limit. Compiles the schema when it is first needed. */
function inputFaults(ajv: Ajv, schema: object): (value: unknown, part: string) => readonly Fault[] {
  let validate: ValidateFunction | undefined;
  return (value, part) => {
    if (!isSmall(value)) return [];
    validate ??= ajv.compile(schema);
    return validate(value ?? null) ? [] : allFaults(validate.errors ?? [], part);
  };
}

/** The most specific fault of each field. */
function allFaults(errors: readonly ErrorObject[], part: string): readonly Fault[] {
  const byField = Map.groupBy(errors, (error) => faultOf(error, part).field);
  const outer = outerFields(byField.keys(), part);
  return [...byField.keys()]
    .filter((field) => !outer.has(field))
    .slice(0, toldFaultsMax)
    .map((field) => faultOf(mostTelling(byField.get(field)!), part));
}

/** Fields that contain other faulty fields. Their own fault comes from a branch of a union that was not meant. */
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

/** The branch of a union that matched furthest is the one that was meant. */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject {
  const telling = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "type");
  return [...telling, ...errors].reduce((best, error) =>
    error.instancePath.length > best.instancePath.length ? error : best,
  );
}
