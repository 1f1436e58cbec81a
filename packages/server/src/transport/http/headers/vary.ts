import type { FastifyReply } from "fastify";

/** Says that an answer depends on a header of its request, beside those that are named already. */
export function addVary(reply: FastifyReply, name: string): void {
  const known = reply.getHeader("vary");
  reply.header("vary", known === undefined ? name : `${String(known)}, ${name}`);
}
