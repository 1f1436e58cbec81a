import type { Access } from "../../auth/access.ts";
import type { ApiDocument, ApiOperation, ApiParameter, Schema } from "./api-document.ts";
import { type Field, fieldOf, fieldsOf, kindsOf, mayBeNull, type Resolve } from "./fields.ts";

export interface Parameter extends Field {
  readonly in: string;
  readonly schema: Schema;
}

/** A route as the page shows it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** `games` for what is under `/api/v1/games`, `server` for what is not under `/api`. */
  readonly group: string;
  readonly access: Access | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: {
    /** Of several kinds that it may be, the first. */
    readonly schema: Schema;
    readonly fields: readonly Field[];
    /** What tells the kinds apart, where there are several. */
    readonly either: readonly string[];
    readonly mayBeEmpty: boolean;
    /** Other than JSON. */
    readonly otherTypes: readonly string[];
  };
  readonly answers: readonly { readonly status: string; readonly fields: readonly Field[] }[];
}

export function operationsOf(document: ApiDocument): Operation[] {
  const resolve = resolver(document);
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      operationOf(method.toUpperCase(), path, operation, resolve),
    ),
  );
}

function resolver({ components }: ApiDocument): Resolve {
  return function resolve(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1);
    const found = name === undefined ? undefined : components?.schemas?.[name];
    return found ? resolve(found) : schema;
  };
}

function operationOf(method: string, path: string, operation: ApiOperation, resolve: Resolve): Operation {
  const body = withoutText(resolve(jsonSchema(operation.requestBody) ?? {}), resolve);
  const kinds = kindsOf(body, resolve);
  return {
    method,
    path,
    summary: operation.summary ?? `${method} ${path}`,
    group: /^\/api\/v\d+\/([^/]+)/.exec(path)?.[1] ?? "server",
    access: operation["x-access"],
    parameters: (operation.parameters ?? []).map((parameter) => parameterOf(parameter, resolve)),
    body: {
      schema: kinds[0] ?? {},
      fields: fieldsOf(body, resolve),
      either: kinds.length > 1 ? kinds.flatMap(({ required = [] }) => required) : [],
      mayBeEmpty: mayBeNull(body, resolve),
      otherTypes: Object.keys(operation.requestBody?.content ?? {}).filter(
        (type) => type !== "application/json",
      ),
    },
    answers: Object.entries(operation.responses ?? {})
      .filter(([status]) => status.startsWith("2"))
      .map(([status, response]) => ({ status, fields: answerFields(jsonSchema(response), resolve) })),
  };
}

function parameterOf(parameter: ApiParameter, resolve: Resolve): Parameter {
  const { name, in: where, required = false, description, schema = {} } = parameter;
  const described = description === undefined ? schema : { ...schema, description };
  return { ...fieldOf(name, described, required, resolve), in: where, schema: resolve(schema) };
}

/** Every answer has the envelope around it, which is explained once; here is what is in its `data`. */
function answerFields(schema: Schema | undefined, resolve: Resolve): Field[] {
  if (!schema) return [];
  const whole = resolve(schema);
  const { data, success } = whole.properties ?? {};
  return fieldsOf(data && success ? data : whole, resolve);
}

/** Of a body that may be an object or a text of another type, the object. */
function withoutText(schema: Schema, resolve: Resolve): Schema {
  const kinds = schema.anyOf?.map(resolve) ?? [];
  return kinds.some(({ type }) => type === "string")
    ? (kinds.find(({ type }) => type === "object") ?? schema)
    : schema;
}

function jsonSchema(part: { content?: Readonly<Record<string, { schema?: Schema }>> } | undefined) {
  return part?.content?.["application/json"]?.schema;
}
