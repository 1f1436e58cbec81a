import type { Pages } from "@openseat/web";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { sendDocument } from "../documents.ts";

/** One document for all of them: its script looks at the address, and says so kindly when there is no such room. */
const addresses = [
  "/",
  "/games/:id",
  "/arenas/:id",
  "/arenas/:id/matches/:match",
  "/ladders/:id",
  "/ladders/:id/players/:player",
  "/chat",
  "/duels",
];

const hidden = { config: { access: "public" }, schema: { hide: true } } as const;

/** A host that can stand in a policy as it is: whoever writes the Host header must not write the policy. */
const plainHost = /^[\w.-]{1,253}(?::\d{1,5})?$/;

const notBuilt =
  "The pages have not been built. Stop the server and start it with `npm start`, which builds them, or run `npm run build` and start it again.\n";

/** The pages on which people find rooms, play and watch; undefined when they have not been built. */
export function pageRoutes(app: FastifyInstance, pages: Pages | undefined): void {
  for (const address of addresses) {
    app.get(address, hidden, async (request, reply) => {
      if (!pages)
        return reply.code(503).header("retry-after", "60").type("text/plain; charset=utf-8").send(notBuilt);
      reply.headers({
        // The names of its assets change with every build: an old document would ask for files that are gone.
        "cache-control": "no-cache",
        "content-security-policy": policyFor(request),
        "referrer-policy": "same-origin",
      });
      return sendDocument(request, reply, pages.document);
    });
  }
  app.get<{ Params: { name: string } }>("/assets/:name", hidden, async (request, reply) => {
    const asset = pages?.assets.get(request.params.name);
    if (!asset) return reply.callNotFound();
    // They never change under their names.
    reply.header("cache-control", "public, max-age=31536000, immutable");
    return sendDocument(request, reply, asset);
  });
}

/** Nothing from elsewhere, nothing inline that runs; and live connections to this very host. */
function policyFor({ host }: FastifyRequest): string {
  // Some browsers do not count a WebSocket to the same host as `'self'`.
  const live = plainHost.test(host ?? "") ? ` ws://${host} wss://${host}` : "";
  return `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'${live}; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'self'`;
}
