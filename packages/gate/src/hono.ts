import { responseOf, withCookies } from "./fetch.ts";
import { type Completion, Gate, type Visit } from "./gate.ts";
import type { GateOptions } from "./options.ts";
import type { GateContext } from "./visit/request.ts";

export type { Completion, Visit } from "./gate.ts";
export type { GateOptions } from "./options.ts";
export type { GateRequest } from "./visit/request.ts";

/** What the gate uses of the context of Hono. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request };
  res: Response;
}

export interface HonoGate {
  /** Middleware: `app.use(gate)`. */
  (c: HonoContextLike, next: () => Promise<void>): Promise<Response | undefined>;
  /** Ends the session of the request, and deletes its cookie if the handler still runs. */
  complete(c: HonoContextLike): Promise<Completion>;
  /** Why the request has passed; undefined if it has not. */
  visit(c: HonoContextLike): Visit | undefined;
}

export function openseatGate(options: GateOptions): HonoGate {
  const gate = new Gate(options);
  // Not by `c.req.raw`, which other middleware may replace.
  const visits = new WeakMap<HonoContextLike, { readonly visit: Visit; readonly cookies: string[] }>();

  const middleware = async (c: HonoContextLike, next: () => Promise<void>) => {
    const decision = await gate.decide(c.req.raw, contextOf(c));
    if ("answer" in decision) return responseOf(decision.answer);
    const cookies = [...decision.cookies];
    visits.set(c, { visit: decision.visit, cookies });
    await next();
    if (cookies.length > 0) c.res = withCookies(c.res, cookies);
    return undefined;
  };
  return Object.assign(middleware, {
    async complete(c: HonoContextLike) {
      const completion = await gate.complete(c.req.raw, contextOf(c));
      visits.get(c)?.cookies.push(completion.cookie);
      return completion;
    },
    visit: (c: HonoContextLike) => visits.get(c)?.visit,
  });
}

/** Outside of Workers, Hono has no execution context and throws when it is read. */
function contextOf(c: HonoContextLike): GateContext {
  try {
    const { executionCtx } = c as { readonly executionCtx?: GateContext };
    return executionCtx ? { waitUntil: (promise) => executionCtx.waitUntil?.(promise) } : {};
  } catch {
    return {};
  }
}
