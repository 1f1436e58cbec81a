import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** OP2: the public prefix of every path, such as `/openseat`; empty at the root of a host. */
    readonly basePath: string;
  }
}

export function basePathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
}

export function knowBasePath(app: FastifyInstance, publicUrl: string | undefined): void {
  app.decorateRequest("basePath", basePathOf(publicUrl));
}

/** Removes the base path from an address that has it: some proxies have already removed it. */
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
