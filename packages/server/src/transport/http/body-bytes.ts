import type { IncomingMessage } from "node:http";
import { errorCodes } from "fastify";

/** Reads a body of at most `bytesMax` into its own memory, so that it can be transferred to another thread. */
export async function bodyBytes(
  payload: IncomingMessage,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    // Destroying the stream would also close the connection, which still has to carry the refusal.
    for await (const piece of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > bytesMax) break;
      pieces.push(piece);
    }
  } catch (error) {
    // The client has disconnected, which is not a server error.
    throw Object.assign(error as Error, { statusCode: 400 });
  }
  if (length > bytesMax) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
  const bytes = new Uint8Array(length);
  let filled = 0;
  for (const piece of pieces) {
    bytes.set(piece, filled);
    filled += piece.length;
  }
  return bytes;
}
