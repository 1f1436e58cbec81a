import { type FetchGate, type GateContext, openseatGate } from "@openseat/gate";

/** The variables and the secret of the Worker. */
interface Env {
  readonly OPENSEAT_URL: string;
  readonly OPENSEAT_SERVICE_KEY: string;
  readonly SITE_URL: string;
  readonly QUEUE: string;
  readonly WHEN_AWAY: "open" | "closed";
}

// One gate for all requests, because it caches keys. A Worker knows its secrets only during a request.
let gate: FetchGate | undefined;

export default {
  fetch(request: Request, env: Env, context: GateContext): Promise<Response> {
    gate ??= openseatGate({
      openseat: env.OPENSEAT_URL,
      queue: env.QUEUE,
      serviceKey: env.OPENSEAT_SERVICE_KEY,
      site: env.SITE_URL,
      whenAway: env.WHEN_AWAY,
      bypass: ["/healthz"],
    });
    return gate(request, shop, context);
  },
};

async function shop(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/healthz") return new Response("ok");
  if (pathname !== "/buy") return new Response("You are in.", { headers: { "Content-Type": "text/html" } });
  // This visitor is done, so let the next one in. Answer with the thank-you page: another request would enter the line again.
  await gate?.complete(request);
  return new Response("Thank you!");
}
