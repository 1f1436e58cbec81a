import { type Completion, Gate, type Visit } from "./gate.ts";
import type { GateOptions } from "./options.ts";
import type { Answer } from "./visit/answers.ts";
import { type NodeRequest, requestOf } from "./visit/node-request.ts";

export type { Completion, Visit } from "./gate.ts";
export type { GateOptions } from "./options.ts";
export type { GateRequest } from "./visit/request.ts";

/** What the gate uses of a response of `node:http` or Express. */
export interface NodeResponse {
  readonly headersSent: boolean;
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  appendHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

export interface NodeGate {
  /** Calls `next` only for visitors with a session, and answers everyone else. */
  (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => unknown): Promise<void>;
  /** Ends the session of the request, and deletes its cookie if the headers have not been sent. */
  complete(request: NodeRequest): Promise<Completion>;
  /** Why the request has passed; undefined if it has not. */
  visit(request: NodeRequest): Visit | undefined;
}

/** Middleware for `node:http`, Express 4 and 5, and everything with the same `(request, response, next)`. */
export function openseatGate(options: GateOptions): NodeGate {
  const gate = new Gate(options);
  interface Passed {
    readonly visit: Visit;
    readonly response: NodeResponse;
    /** Express changes `baseUrl` from router to router. */
    readonly mount: string | undefined;
  }
  const visits = new WeakMap<NodeRequest, Passed>();

  const middleware = async (
    request: NodeRequest,
    response: NodeResponse,
    next: (error?: unknown) => unknown,
  ) => {
    try {
      const { baseUrl: mount } = request;
      const decision = await gate.decide(requestOf(request), { mount });
      if ("answer" in decision) {
        send(response, decision.answer);
        return;
      }
      for (const cookie of decision.cookies) response.appendHeader("Set-Cookie", cookie);
      visits.set(request, { visit: decision.visit, response, mount });
    } catch (error) {
      next(error);
      return;
    }
    await next();
  };
  return Object.assign(middleware, {
    async complete(request: NodeRequest) {
      const passed = visits.get(request);
      const completion = await gate.complete(requestOf(request), { mount: passed?.mount });
      if (passed && !passed.response.headersSent)
        passed.response.appendHeader("Set-Cookie", completion.cookie);
      return completion;
    },
    visit: (request: NodeRequest) => visits.get(request)?.visit,
  });
}

function send(response: NodeResponse, { status, headers, cookies, body }: Answer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  for (const cookie of cookies) response.appendHeader("Set-Cookie", cookie);
  response.end(body);
}
