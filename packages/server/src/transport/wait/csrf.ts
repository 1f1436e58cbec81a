import type { FastifyRequest } from "fastify";
import { isHere } from "../http/headers/here.ts";

/**
 * Whether another site's page sent this form. Such a form comes without cookies. Handling it would create a new guest, and the
 * browser would lose the cookie of the guest whose place it holds.
 */
export function isForeignForm(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { "sec-fetch-site": site, origin } = request.headers;
  if (site !== undefined) return site === "cross-site";
  // Browsers send `Sec-Fetch-Site` only over TLS, and `Origin` with every form.
  return origin !== undefined && !isHere(request, origin, publicUrl);
}

/**
 * Whether the browser will not show the response: it prefetches, or another site's page requests it in the background. Handling
 * it would give a place to a person who never comes.
 */
export function isUnseen({ headers }: FastifyRequest): boolean {
  const purposes = [headers["sec-purpose"], headers.purpose, headers["x-purpose"], headers["x-moz"]];
  if (/prefetch|preview/.test(purposes.join(" "))) return true;
  return headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-dest"] !== "document";
}
