import { responseOf, withCookies } from "./fetch.ts";
import { type Completion, Gate } from "./gate.ts";
import type { GateOptions } from "./options.ts";
import type { GateContext, GateRequest } from "./visit/request.ts";

export type { Completion, Visit } from "./gate.ts";
export type { GateOptions } from "./options.ts";
export type { GateRequest } from "./visit/request.ts";

export interface NextGate {
  /** For `proxy.ts`, or `middleware.ts` before Next 16: `export const proxy = gate`. */
  (request: Request, event?: GateContext): Promise<Response | undefined>;
  /** Ends the session of the request. In a route, put `cookie` of the result into the header `Set-Cookie`. */
  complete(request: GateRequest): Promise<Completion>;
}

export function openseatGate(options: GateOptions): NextGate {
  const gate = new Gate(options);
  const contextOf = (event: GateContext = {}): GateContext =>
    event.waitUntil ? { waitUntil: (promise) => event.waitUntil?.(promise) } : {};

  const proxy = async (request: Request, event?: GateContext) => {
    const decision = await gate.decide(request, contextOf(event));
    if ("answer" in decision) return responseOf(decision.answer);
    if (decision.cookies.length === 0) return undefined;
    // What `NextResponse.next()` returns.
    return withCookies(new Response(null, { headers: { "x-middleware-next": "1" } }), decision.cookies);
  };
  return Object.assign(proxy, { complete: (request: GateRequest) => gate.complete(request) });
}
