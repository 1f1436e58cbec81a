import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ClientAddresses } from "./client-addresses.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** LM8: the key by which limits per address count the request. */
    address: string;
  }
}

export function identifyAddresses(app: FastifyInstance, addresses: ClientAddresses): void {
  app.decorateRequest("address", {
    getter(this: FastifyRequest) {
      return addresses.of(this.raw.socket.remoteAddress, forwardedForOf(this));
    },
  });
}

/** Node joins several headers of this name into one, in their order. */
function forwardedForOf({ headers }: FastifyRequest): string | undefined {
  const value = headers["x-forwarded-for"];
  return Array.isArray(value) ? value.join(",") : value;
}
