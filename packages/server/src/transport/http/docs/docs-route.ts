import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../../../clock.ts";
import { TimeSlices } from "../../../scheduling/time-slices.ts";
import type { Access } from "../../auth/access.ts";
import { documentOf, sendDocument } from "../documents.ts";
import { type ApiDocument, routeKey, withAccess } from "./api-document.ts";
import { docsPage, pageHeaders, pageType } from "./page.ts";
import { PagesByOrigin } from "./pages-by-origin.ts";

const usualOrigin = "http://localhost:8080";

interface DocsDeps {
  readonly publicUrl: string | undefined;
  readonly now: () => number;
  readonly clock: Pick<Clock, "soon">;
}

/**
 * The API as a machine reads it, and as a person does. Has to be called before the other routes are made: what it
 * says of who may use them it hears as they are.
 */
export function docsRoute(app: FastifyInstance, { publicUrl, now, clock }: DocsDeps): void {
  const access = new Map<string, Access>();
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const one of [method].flat()) if (config?.access) access.set(routeKey(one, url), config.access);
  });
  const api = once(() => withAccess(app.swagger() as unknown as ApiDocument, access));
  const apiDocument = once(() => documentOf("application/json; charset=utf-8", JSON.stringify(api())));
  const page = once(() => docsPage(api()));
  const pages = new PagesByOrigin(
    (origin) => documentOf(pageType, page()(origin)),
    publicUrl ?? usualOrigin,
    now,
  );
  const hidden = { config: { access: "public", isCompressed: false }, schema: { hide: true } } as const;
  // One per turn of the event loop: the kernel copies hundreds of kilobytes for each, whether the client reads them or not.
  const slices = new TimeSlices(clock);
  app.get("/openapi.json", hidden, (request, reply) =>
    slices.run(() => sendDocument(request, reply.header("cache-control", "no-cache"), apiDocument())),
  );
  app.get("/docs", hidden, (request, reply) =>
    slices.run(() =>
      sendDocument(request, reply.headers(pageHeaders), pages.of(publicUrl ?? originOf(request))),
    ),
  );
}

/** The reader's own way to this server, so that the examples work as they stand. */
function originOf({ protocol, host }: FastifyRequest): string {
  // Whoever writes the Host header would otherwise write the shell commands that a reader copies.
  return /^[\w.:[\]-]{1,255}$/.test(host ?? "") ? `${protocol}://${host}` : usualOrigin;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
