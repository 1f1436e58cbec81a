import type { Access } from "../../auth/access.ts";

/** As much of JSON Schema as the routes and messages use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly description?: string;
}

export interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface ApiOperation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses?: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content }>
  >;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** AU2: who may use the route. OpenAPI knows only whether a token is needed, not whose. */
  readonly "x-access"?: Access;
}

/** As much of an OpenAPI 3.1 document as the page needs. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Who may use which route, by `routeKey`. */
export type AccessByRoute = ReadonlyMap<string, Access>;

/** `GET /api/v1/games/:id`, in OpenAPI's spelling of parameters. */
export function routeKey(method: string, url: string): string {
  return `${method.toUpperCase()} ${url.replace(/:(\w+)/g, "{$1}")}`;
}

/** The document, with what each route says of who may use it. */
export function withAccess(document: ApiDocument, access: AccessByRoute): ApiDocument {
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const [path, operations] of Object.entries(document.paths)) {
    paths[path] = {};
    for (const [method, operation] of Object.entries(operations)) {
      const allowed = access.get(routeKey(method, path));
      paths[path][method] = allowed === undefined ? operation : { ...operation, ...stated(allowed) };
    }
  }
  return { ...document, paths };
}

function stated(access: Access): Pick<ApiOperation, "security" | "x-access"> {
  return { security: access === "public" ? [] : [{ bearer: [] }], "x-access": access };
}
