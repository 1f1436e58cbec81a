import type { FastifyReply, FastifyRequest } from "fastify";
import { sendRefusal } from "../envelope.ts";
import type { ConcurrencyLimit } from "./concurrency.ts";

/** The message at each limit: per address, and in total. */
export interface TooMany {
  readonly address: string;
  readonly all: string;
}

/** A concurrency limit as a hook before the route, so that a refusal is an ordinary answer. */
export function limitConcurrency(limit: ConcurrencyLimit, { address: perAddress, all }: TooMany) {
  return async function takePlace(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const { address } = request;
    const taken = limit.take(address);
    if (taken === "address")
      return sendRefusal(reply, { code: "limit.address", message: perAddress, retryable: true });
    if (taken === "all") return sendRefusal(reply, { code: "server.busy", message: all, retryable: true });
    // A WebSocket lasts as long as its socket; anything else only until it is answered, and the socket goes on.
    const lasting = request.ws ? request.raw.socket : reply.raw;
    lasting.once("close", () => limit.release(address));
    return undefined;
  };
}
