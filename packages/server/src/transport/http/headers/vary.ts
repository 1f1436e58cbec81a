import type { FastifyReply } from "fastify";

/** Adds a request header to `Vary`, besides those that it already names. */
export function addVary(reply: FastifyReply, name: string): void {
  const known = reply.getHeader("vary");
  reply.header("vary", known === undefined ? name : `${String(known)}, ${name}`);
}
