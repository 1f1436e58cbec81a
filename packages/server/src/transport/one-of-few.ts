import type { FastifyReply, FastifyRequest } from "fastify";
import type { AtOnce } from "./address-limits.ts";
import { sendRefusal } from "./envelope.ts";

/** What is said to whoever comes when there are as many as may be: from one address, and in all. */
export interface TooMany {
  readonly address: string;
  readonly all: string;
}

/** A limit on what goes on at the same time, as a hook before the route: so a refusal is an ordinary answer. */
export function oneOfFew(atOnce: AtOnce, { address, all }: TooMany) {
  return async function takePlace(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const { ip } = request;
    const taken = atOnce.take(ip);
    if (taken === "address")
      return sendRefusal(reply, { code: "limit.address", message: address, retryable: true });
    if (taken === "all") return sendRefusal(reply, { code: "server.busy", message: all, retryable: true });
    // A WebSocket lasts as long as its socket; anything else only until it is answered, and the socket goes on.
    const lasting = request.ws ? request.raw.socket : reply.raw;
    lasting.once("close", () => atOnce.release(ip));
    return undefined;
  };
}
