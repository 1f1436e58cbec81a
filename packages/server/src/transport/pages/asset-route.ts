import type { FastifyInstance } from "fastify";
import { type Document, sendDocument } from "../http/documents.ts";

/** Scripts and styles. Their content never changes under the same name. They are stored compressed. */
export function assetRoute(
  app: FastifyInstance,
  url: string,
  find: (name: string) => Document | undefined,
): void {
  app.get<{ Params: { name: string } }>(
    url,
    { config: { access: "public", isCompressed: false }, schema: { hide: true } },
    async (request, reply) => {
      const asset = find(request.params.name);
      if (!asset) return reply.callNotFound();
      reply.header("cache-control", "public, max-age=31536000, immutable");
      return sendDocument(request, reply, asset);
    },
  );
}
