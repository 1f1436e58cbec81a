import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendRefusal } from "../envelope.ts";
import type { Authenticator } from "./authenticator.ts";
import { type Identity, missingToken, type Proof, type Role } from "./identity.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** AU2: every route states who may use it. */
    access?: Access;
  }
  interface FastifyRequest {
    /** Who asks; null on public routes without a token. */
    identity: Identity | null;
  }
}

/** Which roles may use a route, or `public` for anyone, also without a token. */
export type Access = "public" | readonly Role[];

export const anyRole = ["person", "service", "operator"] as const satisfies Access;

/** Puts a guard before every route that is added to the app from now on. A route that states no access is a mistake. */
export function guardRoutes(app: FastifyInstance, authenticator: Authenticator): void {
  app.addHook("onRoute", (route) => {
    const access = route.config?.access;
    if (access === undefined) throw new Error(`${route.method} ${route.url} does not state who may use it.`);
    route.onRequest = [guard(access, authenticator), ...[route.onRequest ?? []].flat()];
  });
}

/** Who is it, and may they. */
function guard(access: Access, authenticator: Authenticator) {
  return function checkAccess(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const header = request.headers.authorization;
    if (header === undefined) {
      if (access === "public") done();
      else sendRefusal(reply, missingToken);
      return;
    }
    const admit = (proof: Proof) => {
      const result = permit(proof, access);
      if ("refusal" in result) {
        sendRefusal(reply, result.refusal);
        return;
      }
      request.identity = result.identity;
      done();
    };
    const proof = proveHeader(authenticator, header);
    if (proof instanceof Promise) void proof.then(admit);
    else admit(proof);
  };
}

/** Who the Authorization header says it is. */
export function proveHeader(authenticator: Authenticator, header: string): Proof | Promise<Proof> {
  if (!header.startsWith("Bearer ") && !/^bearer /i.test(header)) {
    return {
      refusal: {
        code: "auth.invalid",
        message: "The Authorization header must read: Bearer, a space, the token.",
      },
    };
  }
  return authenticator.prove(header.slice(7).trim());
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
