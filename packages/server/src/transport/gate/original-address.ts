import type { FastifyRequest } from "fastify";
import { hereOf } from "../http/headers/here.ts";
import { isReturnable } from "../site/return-address.ts";
import { withoutToken } from "../site/token-in-address.ts";

/** The path and query that the visitor requested from the site, from the header of nginx or of other proxies. */
export function originalAddress({ headers }: FastifyRequest): string | undefined {
  const original = headers["x-original-uri"] ?? headers["x-forwarded-uri"];
  return typeof original === "string" && original.startsWith("/") ? original : undefined;
}

export function waitAddress(request: FastifyRequest, queue: string, publicUrl: string | undefined): string {
  const page = `${publicUrl ?? request.basePath}/wait/${queue}`;
  const original = originalAddress(request);
  if (original === undefined) return page;
  const path = withoutToken(original);
  // The waiting page would reject such an address. Without it, people return to the default address.
  if (!isReturnable(path)) return page;
  return `${page}?return=${encodeURIComponent(originOf(request, publicUrl) + path)}`;
}

/** The origin of the site, if it differs from the host of the waiting page. */
function originOf(request: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl === undefined || new URL(publicUrl).host === request.host) return "";
  return hereOf(request, undefined);
}
