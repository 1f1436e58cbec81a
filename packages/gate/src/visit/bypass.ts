import type { GateRequest } from "./request.ts";

type Pattern = string | RegExp;

/**
 * Paths such as `/healthz`, everything below one such as `/assets/*`, patterns for the decoded path, or a function of the
 * request and the decoded path.
 */
export type Bypass = readonly Pattern[] | ((request: GateRequest, path: string) => boolean);

/** Takes the path as it was sent. */
export type BypassRule = (request: GateRequest, path: string) => boolean;

export function bypassOf(bypass: Bypass | undefined, refuse: (problem: string) => void): BypassRule {
  if (bypass === undefined) return () => false;
  if (typeof bypass === "function")
    return (request, sent) => {
      const path = plainPathOf(sent);
      return path !== undefined && bypass(request, path) === true;
    };
  if (!Array.isArray(bypass)) {
    refuse("bypass is invalid: it is a list of paths and patterns, or a function.");
    return () => false;
  }
  const matchers = bypass.map((pattern) => matcherOf(pattern, refuse));
  return (_, sent) => {
    const path = plainPathOf(sent);
    return path !== undefined && matchers.some((matches) => matches(path));
  };
}

function matcherOf(pattern: Pattern, refuse: (problem: string) => void): (path: string) => boolean {
  if (pattern instanceof RegExp) return (path) => path.search(pattern) >= 0;
  const below = typeof pattern === "string" && pattern.endsWith("/*") ? pattern.slice(0, -1) : undefined;
  const path = below ?? pattern;
  if (typeof path !== "string" || !path.startsWith("/") || /[*?#]/.test(path) || plainPathOf(path) !== path)
    refuse(
      `bypass has ${String(pattern)}, which is neither a path such as /healthz nor one such as /assets/*.`,
    );
  if (below === undefined) return (asked) => asked === pattern;
  return (asked) => asked.startsWith(below) && asked.length > below.length;
}

/**
 * The decoded path. Undefined if servers could disagree on what it names, such as `/assets/../checkout`, `/assets/%2e%2e/x`
 * or `/assets//x`: it could pass here as one path and be served as another.
 */
function plainPathOf(sent: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(sent);
  } catch {
    return undefined;
  }
  if (/%2f|%5c/i.test(sent) || /[\\%;#?]|\/\/|\p{Cc}/u.test(path)) return undefined;
  return path.split("/").some((part) => /^\.{1,2}$/.test(part.trim())) ? undefined : path;
}
