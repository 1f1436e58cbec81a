import type { FastifyRequest } from "fastify";

/** The origin at which people reach this server: of the public address, or by default of the request. */
export function hereOf({ protocol, host }: FastifyRequest, publicUrl: string | undefined): string {
  const address = publicUrl ?? `${protocol}://${host}`;
  // A Host header may contain any text.
  return URL.canParse(address) ? new URL(address).origin : "http://localhost";
}

export function isHere(request: FastifyRequest, origin: string, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === request.host || host === new URL(hereOf(request, publicUrl)).host;
}
