import type { FastifyInstance } from "fastify";

/** The API as a machine reads it, and as a person does. */
export function docsRoute(app: FastifyInstance): void {
  app.get("/openapi.json", { config: { access: "public" }, schema: { hide: true } }, async () =>
    app.swagger(),
  );
}
