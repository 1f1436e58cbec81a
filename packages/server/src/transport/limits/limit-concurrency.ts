import type { FastifyReply, FastifyRequest } from "fastify";
import { sendRefusal } from "../http/envelope.ts";
import type { ConcurrencyLimit } from "./concurrency.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Work that continues after the client has disconnected. It keeps its place until it is done. */
    work?: Promise<unknown>;
  }
}

export interface TooMany {
  readonly address: string;
  readonly all: string;
}

/** A concurrency limit as a hook before the route, so that a refusal is an ordinary response. */
export function limitConcurrency(limit: ConcurrencyLimit, { address: perAddress, all }: TooMany) {
  return async function takePlace(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const { address } = request;
    // A WebSocket keeps its place until its socket closes; other requests until they are answered.
    const lasting = request.ws ? request.raw.socket : reply.raw;
    // The client has disconnected and "close" has already fired, so the place would never be released.
    if (lasting.destroyed || request.raw.socket.destroyed) return reply.hijack();
    const taken = limit.take(address);
    if (taken === "address")
      return sendRefusal(reply, { code: "limit.address", message: perAddress, retryable: true });
    if (taken === "all") return sendRefusal(reply, { code: "server.busy", message: all, retryable: true });
    lasting.once("close", async () => {
      await request.work?.catch(() => {});
      limit.release(address);
    });
    return undefined;
  };
}
