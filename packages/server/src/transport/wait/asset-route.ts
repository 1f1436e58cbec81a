import { waitAssets } from "@openseat/web";
import type { FastifyInstance } from "fastify";
import { type Document, sendDocument } from "../http/documents.ts";

/** Script and style of the pages: they never change under their names. */
export function assetRoute(app: FastifyInstance): void {
  const assets = new Map<string, Document>();
  for (const [name, asset] of waitAssets) assets.set(name, { ...asset, body: Buffer.from(asset.body) });
  app.get<{ Params: { name: string } }>(
    "/wait/assets/:name(^wait-[\\w-]+\\.(?:js|css)$)",
    { config: { access: "public", isCompressed: false }, schema: { hide: true } },
    async (request, reply) => {
      const asset = assets.get(request.params.name);
      if (!asset) return reply.callNotFound();
      reply.header("cache-control", "public, max-age=31536000, immutable");
      return sendDocument(request, reply, asset);
    },
  );
}
