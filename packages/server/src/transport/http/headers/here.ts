import type { FastifyRequest } from "fastify";

/** The origin under which people see this server: as the operator says, else as the request came. */
export function hereOf({ protocol, host }: FastifyRequest, publicUrl: string | undefined): string {
  const address = publicUrl ?? `${protocol}://${host}`;
  // A Host header may hold anything.
  return URL.canParse(address) ? new URL(address).origin : "http://localhost";
}
