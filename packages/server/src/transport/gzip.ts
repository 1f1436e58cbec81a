import type { FastifyRequest } from "fastify";

/** `gzip` in a header that does not rule it out. */
const gzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

export function takesGzip({ headers }: FastifyRequest): boolean {
  return gzip.test(headers["accept-encoding"] ?? "");
}
