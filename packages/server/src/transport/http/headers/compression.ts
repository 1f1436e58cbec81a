import { pipeline, type Readable } from "node:stream";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { FastifyInstance, onSendHookHandler } from "fastify";
import { encodingFor } from "./accept.ts";
import { addVary } from "./vary.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether longer responses are compressed for clients that ask for it; true by default. */
    isCompressed?: boolean;
  }
}

/** Shorter responses fit into one packet. */
const compressedBytesMin = 1_024;
/** Longer responses would keep a thread busy for too long. */
const compressedBytesMax = 4_194_304;
/** Compression uses the same threads as files and DNS. */
const compressionsMax = 16;

/** Nearly as small as at the best quality, in a fifth of the time. A small window bounds the memory. */
const brotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

const textPattern = /^(?:text\/(?!event-stream)|application\/(?:json|javascript)|image\/svg)/;

/** HT4: compresses long texts outside the main thread, for clients that ask for it. */
export function compressAnswers(app: FastifyInstance): void {
  const compress = compressor();
  app.addHook("onRoute", (route) => {
    if (route.config?.isCompressed === false || route.method === "HEAD") return;
    route.onSend = [...[route.onSend ?? []].flat(), compress];
  });
}

function compressor(): onSendHookHandler {
  let running = 0;
  return (request, reply, payload, done) => {
    const type = String(reply.getHeader("content-type") ?? "");
    if (!isLong(payload) || !textPattern.test(type) || reply.hasHeader("content-encoding"))
      return done(null, payload);
    addVary(reply, "accept-encoding");
    const encoding = encodingFor(request.headers["accept-encoding"]);
    if (encoding === undefined || running >= compressionsMax) return done(null, payload);
    running++;
    reply.header("content-encoding", encoding).removeHeader("content-length");
    if (isStream(payload)) {
      const packed = encoding === "br" ? createBrotliCompress(brotliOptions) : createGzip();
      pipeline(payload, packed, () => running--);
      return done(null, packed);
    }
    const finish = (error: Error | null, packed: Buffer) => {
      running--;
      if (error) reply.removeHeader("content-encoding");
      done(null, error ? payload : packed);
    };
    if (encoding === "br") brotliCompress(payload, brotliOptions, finish);
    else gzip(payload, finish);
  };
}

function isLong(payload: unknown): payload is string | Buffer | Readable {
  if (typeof payload === "string" || Buffer.isBuffer(payload))
    return payload.length >= compressedBytesMin && payload.length <= compressedBytesMax;
  return isStream(payload);
}

function isStream(payload: unknown): payload is Readable {
  return typeof (payload as Readable | null)?.pipe === "function";
}
