import type { FastifyInstance } from "fastify";
import { isForOperators } from "../../auth/access.ts";

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
  readonly operatorMethods: Set<string>;
}

const order = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The methods that each path of an app accepts. Construct it before the routes are added. */
export class AllowedMethods {
  readonly #paths = new Map<string, KnownPath>();

  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ method, url, config = {} }) => {
      const path = this.#pathOf(url);
      const methods = isForOperators(config) ? path.operatorMethods : path.methods;
      for (const one of [method].flat()) methods.add(one);
    });
  }

  /** The methods of a path in their usual order; empty if there is no such path. */
  of(url: string, asOperator: boolean): string[] {
    const path = pathIn(url);
    const found = new Set<string>();
    for (const { pattern, methods, operatorMethods } of this.#paths.values()) {
      if (!pattern.test(path)) continue;
      for (const method of methods) found.add(method);
      if (asOperator) for (const method of operatorMethods) found.add(method);
    }
    if (found.size === 0) return [];
    found.add("OPTIONS");
    return order.filter((method) => found.has(method));
  }

  #pathOf(url: string): KnownPath {
    let path = this.#paths.get(url);
    if (!path) {
      path = { pattern: patternOf(url), methods: new Set(), operatorMethods: new Set() };
      this.#paths.set(url, path);
    }
    return path;
  }
}

/** Without the query and a trailing slash: `/games/` is `/games`. */
function pathIn(url: string): string {
  const [path] = url.split("?", 1);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function patternOf(url: string): RegExp {
  const steps = url.split("/").map((step) => (step.startsWith(":") ? "[^/]+" : step.replaceAll(".", "\\.")));
  return new RegExp(`^${steps.join("/")}$`);
}
