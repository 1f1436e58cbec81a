import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** OP2: what stands before every path as people see it, such as `/openseat`; empty at the root of a host. */
    readonly basePath: string;
  }
}

/** The path of the public address; empty when there is none. */
export function basePathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
}

export function knowBasePath(app: FastifyInstance, publicUrl: string | undefined): void {
  app.decorateRequest("basePath", basePathOf(publicUrl));
}

/**
 * For Fastify: takes the base path off addresses that have it. Addresses without it stay as they are, because some
 * proxies take it off themselves.
 */
export function withoutBasePath(publicUrl: string | undefined): {
  rewriteUrl?: (raw: IncomingMessage) => string;
} {
  const base = basePathOf(publicUrl);
  if (base === "") return {};
  return {
    rewriteUrl({ url = "/" }) {
      if (!url.startsWith(base)) return url;
      const rest = url.slice(base.length);
      if (rest.startsWith("/")) return rest;
      return rest === "" || rest.startsWith("?") ? `/${rest}` : url;
    },
  };
}
