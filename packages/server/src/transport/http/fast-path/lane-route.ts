import type { Role } from "../../../app/identity.ts";
import { type Traits, traitsOf } from "../../limits/gatekeeper.ts";
import type { CountAnswer } from "../metrics.ts";
import { compileSchema } from "../validation.ts";
import type { ExpressRoute } from "./express-route.ts";
import type { PlainRequest } from "./plain-request.ts";

/** Of whatever an id may be, the part that is written in a path as it is. The route's own schema says the rest. */
const plainId = /[A-Za-z0-9_.-]{1,120}/y;

const jsonTypes: readonly (string | undefined)[] = [
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
];

/** Fastify's parser refuses some names, however they are spelt; escapes of ASCII are how they could be spelt otherwise. */
const suspicious = /__proto__|constructor|\\u00/;

type Check = (value: unknown) => { value?: unknown; error?: unknown };

/** An express route as the lane holds it: told by its first line, and knowing what it takes. */
export class LaneRoute {
  readonly name: string;
  readonly access: readonly Role[];
  readonly traits: Traits;
  readonly handle: ExpressRoute["handle"];
  readonly count: CountAnswer;
  readonly #lineStart: string;
  readonly #lineEnd: string;
  readonly #hasId: boolean;
  readonly #hasBody: boolean;
  readonly #checkParams: Check | undefined;
  readonly #checkHeaders: Check | undefined;
  readonly #checkBody: Check | undefined;

  constructor(route: ExpressRoute, count: CountAnswer, basePath: string) {
    const { method, url, access, schema, handle } = route;
    const [before, after] = url.split(":id");
    this.name = `${method} ${url}`;
    this.access = access;
    this.traits = traitsOf(method, route);
    this.handle = handle;
    this.count = count;
    this.#hasId = after !== undefined;
    this.#hasBody = method !== "GET";
    this.#lineStart = `${method} ${basePath}${before}`;
    this.#lineEnd = `${after ?? ""} HTTP/1.1\r\n`;
    this.#checkParams = checkOf(schema.params, "params");
    this.#checkHeaders = checkOf(schema.headers, "headers");
    this.#checkBody = this.#hasBody ? checkOf(schema.body, "body") : undefined;
  }

  /** The id in the request line that begins at `start`; undefined when the line is another route's. */
  idIn(text: string, start: number): string | undefined {
    if (!text.startsWith(this.#lineStart, start)) return undefined;
    const idStart = start + this.#lineStart.length;
    if (!this.#hasId) return text.startsWith(this.#lineEnd, idStart) ? "" : undefined;
    plainId.lastIndex = idStart;
    if (!plainId.test(text)) return undefined;
    const idEnd = plainId.lastIndex;
    return text.startsWith(this.#lineEnd, idEnd) ? text.slice(idStart, idEnd) : undefined;
  }

  /** Whether id and key are such as the schema wants. */
  takes(id: string, key: string | undefined): boolean {
    if (this.#checkParams?.({ id }).error) return false;
    return key === undefined || !this.#checkHeaders?.({ "idempotency-key": key }).error;
  }

  /** The body; false when it is not for the lane to judge. */
  bodyOf({ contentType, bodyStart, end }: PlainRequest, bytes: Buffer): { value: unknown } | false {
    if (contentType !== undefined && !jsonTypes.includes(contentType.toLowerCase())) return false;
    let value: unknown;
    if (end > bodyStart) {
      if (contentType === undefined || !this.#hasBody) return false;
      const text = bytes.toString("utf8", bodyStart, end);
      if (suspicious.test(text)) return false;
      try {
        value = JSON.parse(text);
      } catch {
        return false;
      }
    }
    const checked = this.#checkBody?.(value);
    if (checked?.error) return false;
    return { value: (checked ? checked.value : value) ?? undefined };
  }
}

function checkOf(schema: unknown, httpPart: string): Check | undefined {
  if (schema === undefined) return undefined;
  return compileSchema({ schema: schema as object, httpPart, method: "", url: "" }) as Check;
}
