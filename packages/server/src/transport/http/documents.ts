import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { weightIn } from "./headers/accept.ts";
import { isKnown } from "./headers/etags.ts";
import { addVary } from "./headers/vary.ts";

/** A document for many readers, compressed once. All responses share its bytes, so a slow reader costs no copy. */
export interface Document {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Uint8Array;
  readonly etag?: string;
}

export function documentOf(type: string, text: string): Document {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  // A weak tag, because it covers the body in both encodings.
  return { type, body, gzip: gzipSync(body), etag: `W/"${hash}"` };
}

export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: Document): FastifyReply {
  const { type, body, gzip, etag } = document;
  addVary(reply, "accept-encoding");
  // The page of a 404 has the same bytes and must not be treated as unchanged.
  if (etag !== undefined && reply.statusCode === 200) {
    reply.header("etag", etag);
    if (isKnown(request, etag)) return reply.code(304).send();
  }
  reply.type(type);
  return takesGzip(request) ? reply.header("content-encoding", "gzip").send(gzip) : reply.send(body);
}

function takesGzip({ headers }: FastifyRequest): boolean {
  return (weightIn(headers["accept-encoding"], "gzip") ?? 0) > 0;
}
