import type { FastifyRequest } from "fastify";
import { hereOf } from "../http/headers/here.ts";
import { isReturnable } from "../site/return-address.ts";
import { withoutToken } from "../site/token-in-address.ts";

/** The path and query that the visitor asked the site for: as nginx is told to send it, or as other proxies do. */
export function originalAddress({ headers }: FastifyRequest): string | undefined {
  const original = headers["x-original-uri"] ?? headers["x-forwarded-uri"];
  return typeof original === "string" && original.startsWith("/") ? original : undefined;
}

/** The waiting page, from which the visitor comes back to where they were. */
export function waitAddress(request: FastifyRequest, queue: string, publicUrl: string | undefined): string {
  const page = `${publicUrl ?? ""}/wait/${queue}`;
  const original = originalAddress(request);
  if (original === undefined) return page;
  const path = withoutToken(original);
  // What could not be returned to would be refused there; without it people are sent to the usual address.
  if (!isReturnable(path)) return page;
  return `${page}?return=${encodeURIComponent(originOf(request, publicUrl) + path)}`;
}

/** Of the site, where that is not the host of the waiting page. */
function originOf(request: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl === undefined || new URL(publicUrl).host === request.host) return "";
  return hereOf(request, undefined);
}
