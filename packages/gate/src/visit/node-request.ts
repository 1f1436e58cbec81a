import type { GateRequest } from "./request.ts";

/** What the gate uses of a request of `node:http`, Express or Connect. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** In Express, the address before the part of a mounted router was cut off. */
  readonly originalUrl?: string | undefined;
  /** In Express, the path below which this is mounted. */
  readonly baseUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export function requestOf({ method = "GET", url, originalUrl, headers }: NodeRequest): GateRequest {
  return {
    method,
    url: pathIn(originalUrl ?? url ?? ""),
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(", ") : (value ?? null);
      },
    },
  };
}

/**
 * Empty for a target that is not a path, such as `http://x/assets/../checkout`. Frameworks route by its text and a parser by what
 * it resolves to, so it could pass as a path that is bypassed.
 */
function pathIn(target: string): string {
  return target.startsWith("/") ? target : "";
}
