import { waitAssets } from "@openseat/web";
import type { FastifyInstance } from "fastify";
import { takesGzip } from "../gzip.ts";

/** Script and style of the pages: they never change under their names. */
export function assetRoute(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>(
    "/wait/assets/:name(^wait-[\\w-]+\\.(?:js|css)$)",
    { config: { access: "public" }, schema: { hide: true } },
    async (request, reply) => {
      const asset = waitAssets.get(request.params.name);
      if (!asset) return reply.callNotFound();
      const { type, body, gzip } = asset;
      reply
        .type(type)
        .header("cache-control", "public, max-age=31536000, immutable")
        .header("x-content-type-options", "nosniff")
        .header("vary", "accept-encoding");
      return takesGzip(request) ? reply.header("content-encoding", "gzip").send(gzip) : reply.send(body);
    },
  );
}
