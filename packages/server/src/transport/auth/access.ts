import type { FastifyContextConfig } from "fastify";
import type { Identity, Role } from "../../app/identity.ts";
import type { Prover } from "./entrances.ts";
import type { Proof } from "./proof.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** AU2: every route declares who may use it. */
    access?: Access;
    /** LM4: whether the route continues work already begun, or reports the server's health; false by default. */
    isBegun?: boolean;
    /** What the route costs in write budgets; by default 1 for methods that write, 0 for the others. */
    cost?: number;
    /** AU7: served only on the operator port, if there is one, although other roles may use the route. */
    forOperators?: true;
  }
  interface FastifyRequest {
    /** Null on public routes without a token. */
    identity: Identity | null;
  }
}

/** Which roles may use a route, or `public` for anyone, with or without a token. */
export type Access = "public" | readonly Role[];

export const anyRole = ["person", "service", "operator"] as const satisfies Access;

/** AU7: whether a route is served only on the operator port, if there is one. */
export function isForOperators({ access, forOperators }: FastifyContextConfig): boolean {
  return forOperators === true || (Array.isArray(access) && access.every((role) => role === "operator"));
}

export function proveHeader(prover: Prover, header: string): Proof | Promise<Proof> {
  if (!header.startsWith("Bearer ") && !/^bearer /i.test(header)) {
    const message = "The Authorization header is malformed. Send: Bearer, a space, the token.";
    return { refusal: { code: "auth.invalid", message } };
  }
  return prover.prove(header.slice(7).trim());
}

export function permit(proof: Proof, access: Access): Proof {
  if ("refusal" in proof || access === "public") return proof;
  if (access.includes(proof.identity.role)) return proof;
  const wanted = access.map((role) => (role === "operator" ? "an operator" : `a ${role}`)).join(" or ");
  const message = `This requires ${wanted}, but your token has the role ${proof.identity.role}.`;
  return { refusal: { code: "auth.forbidden", message } };
}
