import type { Pages } from "@openseat/web";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sendDocument } from "../http/documents.ts";

/** Other text in the `Host` header could inject directives into the policy. */
const plainHost = /^[\w.-]{1,253}(?::\d{1,5})?$/;

export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { document }: Pages,
  status: 200 | 404 = 200,
): FastifyReply {
  reply.code(status).headers({
    // Asset names change with every build: a cached document would request files that no longer exist.
    "cache-control": "no-cache",
    "content-security-policy": policyFor(request),
    "referrer-policy": "same-origin",
  });
  return sendDocument(request, reply, document);
}

function policyFor({ host }: FastifyRequest): string {
  // Some browsers do not count a WebSocket to the same host as `'self'`.
  const live = plainHost.test(host ?? "") ? ` ws://${host} wss://${host}` : "";
  return `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'${live}; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'self'`;
}
