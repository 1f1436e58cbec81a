import swagger from "@fastify/swagger";
import { escapeHtml, type Pages } from "@openseat/web";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../../clock.ts";
import { TimeSlices } from "../../../scheduling/time-slices.ts";
import { version } from "../../../version.ts";
import { type Document, documentOf, sendDocument } from "../documents.ts";
import { liveDocument } from "./live-document.ts";
import { openApiOptions } from "./open-api.ts";

interface DocsDeps {
  readonly pages: Pages | undefined;
  readonly publicUrl: string | undefined;
  readonly basePath: string;
  readonly clock: Pick<Clock, "soon">;
}

const usualUrl = "http://localhost:8080";

const hidden = { config: { access: "public", isCompressed: false }, schema: { hide: true } } as const;

/** The script injects its own style and builds its own DOM. It can load and call nothing but this server. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The HTTP API and the live protocol, for programs as OpenAPI and AsyncAPI, and for people as pages that show these two. */
export async function documentApi(
  app: FastifyInstance,
  { pages, publicUrl, basePath: base, clock }: DocsDeps,
): Promise<void> {
  await app.register(swagger, openApiOptions(version, publicUrl ?? (base || "/")));
  // One per turn of the event loop: the kernel copies hundreds of kilobytes for each, whether the client reads them or not.
  const slices = new TimeSlices(clock);
  const serve = (path: string, headers: Readonly<Record<string, string>>, document: () => Document) =>
    app.get(path, hidden, (request, reply) =>
      slices.run(() => sendDocument(request, reply.headers(headers), document())),
    );
  const fresh = { "cache-control": "no-cache" };
  const json = (make: () => unknown) =>
    once(() => documentOf("application/json; charset=utf-8", JSON.stringify(make())));
  serve(
    "/openapi.json",
    fresh,
    json(() => app.swagger()),
  );
  serve(
    "/asyncapi.json",
    fresh,
    json(() => liveDocument(version, publicUrl ?? usualUrl)),
  );
  if (!pages) {
    for (const path of ["/docs", "/docs/live"])
      app.get(path, hidden, (_request, reply) =>
        reply.code(503).type("text/plain; charset=utf-8").send(notBuilt),
      );
    return;
  }
  const { apiReference: script } = pages;
  const headers = { ...fresh, "content-security-policy": policy, "referrer-policy": "no-referrer" };
  const page = (title: string, path: string) =>
    once(() =>
      documentOf(
        "text/html; charset=utf-8",
        pageOf(title, `${base}${path}`, `${base}/docs/reference.js?${script.name}`),
      ),
    );
  serve("/docs", headers, page("Openseat HTTP API", "/openapi.json"));
  serve("/docs/live", headers, page("Openseat live protocol", "/asyncapi.json"));
  const forever = { "cache-control": "public, max-age=31536000, immutable" };
  serve("/docs/reference.js", forever, () => script);
}

const notBuilt =
  "The pages have not been built. Run `npm run build` and start the server again. The API is described at /openapi.json.\n";

function pageOf(title: string, url: string, script: string): string {
  const configuration = JSON.stringify({
    url,
    theme: "default",
    telemetry: false,
    withDefaultFonts: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    agent: { disabled: true },
    mcp: { disabled: true },
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
</head>
<body>
<noscript>This page needs JavaScript. <a href="${escapeHtml(url)}">The same as JSON</a></noscript>
<script id="api-reference" data-configuration="${escapeHtml(configuration)}"></script>
<script src="${escapeHtml(script)}"></script>
</body>
</html>
`;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
