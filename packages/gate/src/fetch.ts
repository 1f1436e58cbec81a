import { type Completion, Gate, type Visit } from "./gate.ts";
import type { GateOptions } from "./options.ts";
import type { Answer } from "./visit/answers.ts";
import type { GateContext, GateRequest } from "./visit/request.ts";

/** What to do with a request: answer it, or let it pass and add the cookies to the site's answer. */
export type Verdict =
  | { readonly response: Response }
  | { readonly visit: Visit; readonly cookies: readonly string[] };

export interface FetchGate {
  /** Calls `handler` only for visitors with a session, and answers everyone else. */
  <Given extends Request>(
    request: Given,
    handler: (request: Given, visit: Visit) => Response | Promise<Response>,
    context?: GateContext,
  ): Promise<Response>;
  check(request: GateRequest, context?: GateContext): Promise<Verdict>;
  /** Ends the session of the request, and deletes its cookie if the handler still runs. */
  complete(request: GateRequest, context?: GateContext): Promise<Completion>;
  /** Why the request has passed; undefined if it has not. */
  visit(request: GateRequest): Visit | undefined;
}

/** For everything that takes a `Request` and returns a `Response`: Cloudflare Workers, Deno, Bun. */
export function openseatGate(options: GateOptions): FetchGate {
  return fetchGateOf(new Gate(options));
}

export function fetchGateOf(gate: Gate): FetchGate {
  interface Passed {
    readonly visit: Visit;
    readonly context: GateContext;
    readonly cookies: string[];
  }
  const visits = new WeakMap<GateRequest, Passed>();

  const check = async (request: GateRequest, context: GateContext = {}): Promise<Verdict> => {
    const decision = await gate.decide(request, context);
    if ("answer" in decision) return { response: responseOf(decision.answer) };
    const { visit } = decision;
    const cookies = [...decision.cookies];
    visits.set(request, { visit, context, cookies });
    return { visit, cookies };
  };
  const run: FetchGate = Object.assign(
    async <Given extends Request>(
      request: Given,
      handler: (request: Given, visit: Visit) => Response | Promise<Response>,
      context: GateContext = {},
    ) => {
      const verdict = await check(request, context);
      if ("response" in verdict) return verdict.response;
      return withCookies(await handler(request, verdict.visit), verdict.cookies);
    },
    {
      check,
      async complete(request: GateRequest, context?: GateContext) {
        const passed = visits.get(request);
        const completion = await gate.complete(request, context ?? passed?.context);
        passed?.cookies.push(completion.cookie);
        return completion;
      },
      visit: (request: GateRequest) => visits.get(request)?.visit,
    },
  );
  return run;
}

export function responseOf({ status, headers, cookies, body }: Answer): Response {
  const isEmpty = body === "";
  return withCookies(new Response(isEmpty ? null : body, { status, headers: { ...headers } }), cookies);
}

/** A copy, because the headers of a response may be immutable. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  if (cookies.length === 0) return response;
  const copy = new Response(response.body, response);
  for (const cookie of cookies) copy.headers.append("Set-Cookie", cookie);
  return copy;
}
