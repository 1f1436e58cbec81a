import type { FastifyRequest } from "fastify";

/** The origin under which people see this server: that of the public address, else of the request. */
export function hereOf({ protocol, host }: FastifyRequest, publicUrl: string | undefined): string {
  const address = publicUrl ?? `${protocol}://${host}`;
  // A Host header may hold anything.
  return URL.canParse(address) ? new URL(address).origin : "http://localhost";
}

export function isHere(request: FastifyRequest, origin: string, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === request.host || host === new URL(hereOf(request, publicUrl)).host;
}
