import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Clock, Timer } from "../../clock.ts";

const readMsMax = 30_000;

/**
 * LM10: sends a long text in pieces. A reader that does not take the next piece in time is disconnected, because it occupies a
 * place.
 */
export function sendText(
  reply: FastifyReply,
  pieces: AsyncGenerator<string>,
  clock: Pick<Clock, "after">,
): FastifyReply {
  // Fastify would read and discard the whole stream.
  if (reply.request.method === "HEAD") return reply.send("");
  return reply.send(Readable.from(timed(reply, pieces, clock)));
}

async function* timed(
  { raw }: FastifyReply,
  pieces: AsyncGenerator<string>,
  clock: Pick<Clock, "after">,
): AsyncGenerator<string> {
  let timer: Timer | undefined;
  const waitForReader = () => {
    timer = clock.after(readMsMax, () => raw.destroy());
  };
  raw.once("close", () => timer?.cancel());
  for await (const piece of pieces) {
    if (raw.destroyed) return;
    waitForReader();
    yield piece;
    // A slow log must not cause the reader to be disconnected.
    timer?.cancel();
  }
  // The last pieces may still be in transit.
  if (!raw.destroyed) waitForReader();
}
