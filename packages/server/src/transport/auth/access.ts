import type { FastifyContextConfig } from "fastify";
import type { Identity, Role } from "../../app/identity.ts";
import type { Prover } from "./entrances.ts";
import type { Proof } from "./proof.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** AU2: every route states who may use it. */
    access?: Access;
    /** Whether the route continues work already begun, or tells how the server is, and so is never shed; false by default. */
    isBegun?: boolean;
    /** What the route costs write budgets; by default 1 for methods that write, 0 for the others. */
    cost?: number;
    /** AU7: found on the operators' port alone, where there is one, though others may use it. */
    forOperators?: true;
  }
  interface FastifyRequest {
    /** Who asks; null on public routes without a token. */
    identity: Identity | null;
  }
}

/** Which roles may use a route, or `public` for anyone, also without a token. */
export type Access = "public" | readonly Role[];

export const anyRole = ["person", "service", "operator"] as const satisfies Access;

/** Whether a route is found on the operators' port alone, where there is one. */
export function isForOperators({ access, forOperators }: FastifyContextConfig): boolean {
  return forOperators === true || (Array.isArray(access) && access.every((role) => role === "operator"));
}

/** Who the Authorization header says it is. */
export function proveHeader(prover: Prover, header: string): Proof | Promise<Proof> {
  if (!header.startsWith("Bearer ") && !/^bearer /i.test(header)) {
    return {
      refusal: {
        code: "auth.invalid",
        message: "The Authorization header must read: Bearer, a space, the token.",
      },
    };
  }
  return prover.prove(header.slice(7).trim());
}

export function permit(proof: Proof, access: Access): Proof {
  if ("refusal" in proof || access === "public") return proof;
  if (access.includes(proof.identity.role)) return proof;
  const wanted = access.map((role) => (role === "operator" ? "an operator" : `a ${role}`)).join(" or ");
  return {
    refusal: {
      code: "auth.forbidden",
      message: `This is for ${wanted}; the token is of the role ${proof.identity.role}.`,
    },
  };
}
