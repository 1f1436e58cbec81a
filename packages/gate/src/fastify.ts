import { type Completion, Gate, type Visit } from "./gate.ts";
import type { GateOptions } from "./options.ts";
import { type NodeRequest, requestOf } from "./visit/node-request.ts";

export type { Completion, Visit } from "./gate.ts";
export type { GateOptions } from "./options.ts";
export type { GateRequest } from "./visit/request.ts";

/** What the gate uses of a request of Fastify. */
export interface FastifyRequestLike extends Omit<NodeRequest, "baseUrl"> {
  readonly originalUrl: string;
}

/** What the gate uses of a reply of Fastify. */
export interface FastifyReplyLike {
  readonly sent: boolean;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: string): unknown;
}

/** What the gate uses of an instance of Fastify. */
export interface FastifyLike {
  readonly prefix: string;
  addHook(
    name: "onRequest",
    hook: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown;
}

export interface FastifyGate {
  /** A plugin: `app.register(gate)`. It guards the routes of the scope in which it is registered. */
  (app: FastifyLike): Promise<void>;
  /** Ends the session of the request, and deletes its cookie if the reply has not been sent. */
  complete(request: FastifyRequestLike): Promise<Completion>;
  /** Why the request has passed; undefined if it has not. */
  visit(request: FastifyRequestLike): Visit | undefined;
}

export function openseatGate(options: GateOptions): FastifyGate {
  const gate = new Gate(options);
  interface Passed {
    readonly visit: Visit;
    readonly reply: FastifyReplyLike;
    readonly mount: string;
  }
  const visits = new WeakMap<FastifyRequestLike, Passed>();

  const plugin = async (app: FastifyLike) => {
    const { prefix: mount } = app;
    app.addHook("onRequest", async (request, reply) => {
      const decision = await gate.decide(requestOf(request), { mount });
      const isAnswer = "answer" in decision;
      const cookies = isAnswer ? decision.answer.cookies : decision.cookies;
      // Fastify appends cookies, and replaces other headers.
      for (const cookie of cookies) reply.header("set-cookie", cookie);
      if (!isAnswer) {
        visits.set(request, { visit: decision.visit, reply, mount });
        return undefined;
      }
      const { status, headers, body } = decision.answer;
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
      reply.code(status);
      return reply.send(body);
    });
  };
  return Object.assign(plugin, {
    // Fastify would otherwise limit the hook to the plugin itself, which has no routes.
    [Symbol.for("skip-override")]: true,
    async complete(request: FastifyRequestLike) {
      const passed = visits.get(request);
      const completion = await gate.complete(requestOf(request), { mount: passed?.mount });
      if (passed && !passed.reply.sent) passed.reply.header("set-cookie", completion.cookie);
      return completion;
    },
    visit: (request: FastifyRequestLike) => visits.get(request)?.visit,
  });
}
