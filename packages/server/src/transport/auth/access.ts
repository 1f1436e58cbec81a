import type { Refusal } from "@openseat/kernel";
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Identity, Role } from "../../app/identity.ts";
import { sendRefusal } from "../http/envelope.ts";
import { sendNotFound } from "../http/errors.ts";
import { type Gatekeeper, traitsOf } from "../limits/gatekeeper.ts";
// Declares `request.address`.
import type {} from "../limits/identify-addresses.ts";
import type { Entrances, Prover } from "./entrances.ts";
import { missingToken, type Proof } from "./proof.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** AU2: every route states who may use it. */
    access?: Access;
    /** Whether the route continues work already begun, or tells how the server is, and so is never shed; false by default. */
    isBegun?: boolean;
    /** What the route costs write budgets; by default 1 for methods that write, 0 for the others. */
    cost?: number;
    /** How the route answers a limit; in the envelope by default. */
    refuse?: Refuse;
    /** AU7: found on the operators' port alone, where there is one, though others may use it. */
    forOperators?: true;
  }
  interface FastifyRequest {
    /** Who asks; null on public routes without a token. */
    identity: Identity | null;
  }
}

type Refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => void;

/** Which roles may use a route, or `public` for anyone, also without a token. */
export type Access = "public" | readonly Role[];

export const anyRole = ["person", "service", "operator"] as const satisfies Access;

/** Puts a guard before every route that is added to the app from now on. A route that states no access is a mistake. */
export function guardRoutes(app: FastifyInstance, entrances: Entrances, gatekeeper: Gatekeeper): void {
  app.addHook("onRoute", (route) => {
    const { access, refuse = sendInEnvelope } = route.config ?? {};
    if (access === undefined) throw new Error(`${route.method} ${route.url} does not state who may use it.`);
    const traits = traitsOf(route.method, route.config!);
    const shed: Limit = (request, reply, done) => {
      const refusal = gatekeeper.shed(traits, request.address, request.headers.authorization);
      if (refusal) gatekeeper.hold(() => refuse(request, reply, refusal));
      else done();
    };
    const limit: Limit = (request, reply, done) => {
      const refusal = gatekeeper.refusalFor(traits, request.identity, request.address);
      if (refusal) refuse(request, reply, refusal);
      else done();
    };
    const check = guard({ access, forOperators: isForOperators(route.config!) }, entrances, limit);
    route.onRequest = [shed, check, ...[route.onRequest ?? []].flat()];
  });
}

type Limit = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

const sendInEnvelope: Refuse = (_request, reply, refusal) => {
  sendRefusal(reply, refusal);
};

/** Whether a route is found on the operators' port alone, where there is one. */
export function isForOperators({ access, forOperators }: FastifyContextConfig): boolean {
  return forOperators === true || (Array.isArray(access) && access.every((role) => role === "operator"));
}

/** Who is it, may they, and is it served now. */
function guard(
  { access, forOperators }: { readonly access: Access; readonly forOperators: boolean },
  entrances: Entrances,
  limit: Limit,
) {
  return function checkAccess(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const { socket } = request.raw;
    if (forOperators && !entrances.admitsOperators(socket)) {
      sendNotFound(request, reply);
      return;
    }
    const header = request.headers.authorization;
    if (header === undefined) {
      if (access === "public") limit(request, reply, done);
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
      limit(request, reply, done);
    };
    const proof = proveHeader(entrances.proverFor(socket), header);
    if (proof instanceof Promise) void proof.then(admit);
    else admit(proof);
  };
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
