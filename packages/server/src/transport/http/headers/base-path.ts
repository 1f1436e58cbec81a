import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** OP2: the public prefix of every path, such as `/openseat`; empty at the root of a host. */
    readonly basePath: string;
  }
}

/** `prefix` is the path of a server that is attached to another program. */
export function basePathOf(publicUrl: string | undefined, prefix = ""): string {
  return publicUrl === undefined ? prefix : new URL(publicUrl).pathname.replace(/\/$/, "");
}

export function knowBasePath(app: FastifyInstance, basePath: string): void {
  app.decorateRequest("basePath", basePath);
}

/** Removes the base path from an address that has it: some proxies have already removed it. */
export function withoutBasePath(base: string): {
  rewriteUrl?: (raw: IncomingMessage) => string;
} {
  if (base === "") return {};
  return {
    rewriteUrl({ url = "/" }) {
      if (!isBelow(url, base)) return url;
      const rest = url.slice(base.length);
      return rest.startsWith("/") ? rest : `/${rest}`;
    },
  };
}

export function isBelow(url: string, base: string): boolean {
  return url.startsWith(base) && (url.length === base.length || "/?".includes(url[base.length]));
}
