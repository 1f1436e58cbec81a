import type { FastifyRequest } from "fastify";
import { isHere } from "../http/headers/here.ts";

/**
 * Whether another site's page sent this form. It comes without cookies: answered, it would make a new guest, and the
 * browser would forget the one whose place it holds.
 */
export function isForeignForm(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { "sec-fetch-site": site, origin } = request.headers;
  if (site !== undefined) return site === "cross-site";
  // Browsers send `Sec-Fetch-Site` over TLS only, and `Origin` with every form.
  return origin !== undefined && !isHere(request, origin, publicUrl);
}

/**
 * Whether the browser will not show the answer: it prefetches, or another site's page asks in the background. Answered, it
 * would take a place for someone who never comes.
 */
export function isUnseen({ headers }: FastifyRequest): boolean {
  const purposes = [headers["sec-purpose"], headers.purpose, headers["x-purpose"], headers["x-moz"]];
  if (/prefetch|preview/.test(purposes.join(" "))) return true;
  return headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-dest"] !== "document";
}
