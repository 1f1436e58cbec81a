import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { TrustsProxy } from "../config/trusted-proxies.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** When it began to be answered, as `performance.now()` has it. */
    startedAt: number;
  }
}

/** Anything else could write into logs and headers what it likes. */
const wellFormed = /^[\w.:+/=@-]{1,128}$/;

/** OP3: one id per request, for logs and answers: the one that a trusted proxy gave it, else a new one. */
export class RequestIds {
  readonly #trusts: TrustsProxy;
  /** Other nodes, and this one after a restart, have another. */
  readonly #prefix = `${randomBytes(6).toString("base64url")}-`;

  constructor(trusts: TrustsProxy) {
    this.#trusts = trusts;
  }

  of(remoteAddress: string | undefined, given: string | undefined): string {
    if (given !== undefined && wellFormed.test(given) && this.#trusts(remoteAddress ?? "", 0)) return given;
    // Not counted: a number that grows would tell strangers how much others ask, and when.
    return this.#prefix + Math.floor(Math.random() * Number.MAX_SAFE_INTEGER).toString(36);
  }
}

/** Every answer says the id of its request. Has to be called before other hooks are added that may answer. */
export function tellRequestIds(app: FastifyInstance): void {
  app.decorateRequest("startedAt", 0);
  app.addHook("onRequest", (request, reply, done) => {
    request.startedAt = performance.now();
    reply.header("x-request-id", request.id);
    done();
  });
}
