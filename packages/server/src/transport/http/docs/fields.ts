import type { Schema } from "./api-document.ts";

/** One line of a table: a field with its type, its bounds and its meaning. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly bounds: readonly string[];
  readonly meaning: string | undefined;
  readonly required: boolean;
}

/** Finds what a `$ref` points to. */
export type Resolve = (schema: Schema) => Schema;

/** Deeper than this no schema of ours goes; one that contains itself would go on for ever. */
const depthMax = 6;

/** The fields of an object, those of objects and lists inside it by their paths: `game.id`, `games[].id`. */
export function fieldsOf(schema: Schema, resolve: Resolve, prefix = "", depth = 0): Field[] {
  const kinds = kindsOf(schema, resolve);
  const properties: Record<string, Schema> = Object.assign({}, ...kinds.map((kind) => kind.properties));
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const isRequired = kinds.every(({ required = [] }) => required.includes(key));
    const field = fieldOf(name, property, isRequired, resolve);
    const inner = withoutNull(resolve(property), resolve);
    const item = inner.items && withoutNull(resolve(inner.items), resolve);
    if (depth >= depthMax) return [field];
    if (inner.properties) {
      const fields = fieldsOf(inner, resolve, `${name}.`, depth + 1);
      return tellsNothing(field) ? fields : [field, ...fields];
    }
    return item?.properties ? [field, ...fieldsOf(item, resolve, `${name}[].`, depth + 1)] : [field];
  });
}

/** The kinds of objects that it may be, mostly one. */
export function kindsOf(schema: Schema, resolve: Resolve): Schema[] {
  const whole = withoutNull(resolve(schema), resolve);
  return (whole.anyOf?.map(resolve) ?? [whole]).filter(({ properties }) => properties);
}

/** An object that is always there, and whose fields say all there is to say. */
function tellsNothing({ type, meaning, required }: Field): boolean {
  return type === "object" && meaning === undefined && required;
}

export function fieldOf(name: string, schema: Schema, required: boolean, resolve: Resolve): Field {
  const whole = resolve(schema);
  const inner = withoutNull(whole, resolve);
  return {
    name,
    type: typeOf(whole, resolve),
    bounds: boundsOf(inner, resolve),
    meaning: whole.description ?? inner.description,
    required,
  };
}

/** Of "this or nothing", this. */
export function withoutNull(schema: Schema, resolve: Resolve): Schema {
  const others = schema.anyOf?.map(resolve).filter(({ type }) => type !== "null");
  return others?.length === 1 ? others[0] : schema;
}

export function mayBeNull(schema: Schema, resolve: Resolve): boolean {
  return schema.anyOf?.some((one) => resolve(one).type === "null") ?? false;
}

function typeOf(schema: Schema, resolve: Resolve): string {
  if (schema.anyOf)
    return [...new Set(schema.anyOf.map((one) => typeOf(resolve(one), resolve)))].join(" or ");
  const values = valuesOf(schema, resolve);
  if (values) return [...new Set(values.map((value) => typeof value))].join(" or ");
  if (schema.format === "date-time") return "date and time";
  if (schema.items) return `list of ${plural(typeOf(resolve(schema.items), resolve))}`;
  return [schema.type ?? "anything"].flat().join(" or ");
}

const plural = (type: string) => (type === "anything" ? type : `${type}s`);

/** Those that it may have, if they can be counted. */
function valuesOf(
  { const: only, enum: values, anyOf }: Schema,
  resolve: Resolve,
): readonly unknown[] | undefined {
  if (only !== undefined) return [only];
  const each = anyOf?.map(resolve).filter(({ type }) => type !== "null");
  const ofEach = each?.map((one) => valuesOf(one, resolve));
  return ofEach?.every((some) => some !== undefined) ? ofEach.flat() : values;
}

/** In words, with code between backticks. Where a pattern has a description, that says it better, length and all. */
function boundsOf(schema: Schema, resolve: Resolve): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const isDescribed = pattern !== undefined && schema.description !== undefined;
  const bounds: (string | undefined)[] = [
    valuesOf(schema, resolve)
      ?.map((value) => `\`${String(value)}\``)
      .join(", "),
    range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ""),
    isDescribed ? undefined : range(minLength, maxLength, " characters"),
    isDescribed || pattern === undefined ? undefined : `\`${pattern}\``,
    range(minItems, maxItems, " of them"),
    schema.default === undefined ? undefined : `\`${String(schema.default)}\` unless given`,
  ];
  return bounds.filter((bound) => bound !== undefined);
}

function range(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  const shown = (bound: number) => bound.toLocaleString("en");
  if (min !== undefined && min === max) return `${shown(min)}${unit}`;
  if (min !== undefined && max !== undefined) return `${shown(min)} to ${shown(max)}${unit}`;
  if (max !== undefined) return `at most ${shown(max)}${unit}`;
  return min === undefined ? undefined : `${shown(min)} or more${unit}`;
}
