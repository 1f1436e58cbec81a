import type { FastifyRequest } from "fastify";
import { hereOf } from "../http/headers/here.ts";

/**
 * Whether another site's page sent this form. Cookies stay behind then, so that it would be a stranger's: it would make a
 * new guest, and the browser would forget the one whose place it holds.
 */
export function isForeignForm(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { "sec-fetch-site": site, origin } = request.headers;
  if (site !== undefined) return site === "cross-site";
  // Browsers say whence over TLS only; of a form they have always said the origin.
  if (origin === undefined || !URL.canParse(origin)) return origin !== undefined;
  const { host } = new URL(origin);
  return host !== request.host && host !== new URL(hereOf(request, publicUrl)).host;
}

/**
 * Whether nobody will look at the answer: a browser loads ahead, or another site's page asks in the background. It would
 * take a place, and perhaps a seat, for someone who never comes.
 */
export function isUnseen({ headers }: FastifyRequest): boolean {
  const purposes = [headers["sec-purpose"], headers.purpose, headers["x-purpose"], headers["x-moz"]];
  if (/prefetch|preview/.test(purposes.join(" "))) return true;
  return headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-dest"] !== "document";
}
