import type { FastifyInstance } from "fastify";

/** `/healthz`: the process is alive. `/readyz`: it may be sent work, because the log answers. */
export function healthRoutes(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  app.get(
    "/healthz",
    { config: { access: "public" }, schema: { summary: "Is the process alive?", tags: ["health"] } },
    async () => ({
      status: "ok",
    }),
  );
  app.get(
    "/readyz",
    { config: { access: "public" }, schema: { summary: "May it be sent work?", tags: ["health"] } },
    async (_, reply) => {
      const ready = await isReady();
      return reply.code(ready ? 200 : 503).send({ status: ready ? "ready" : "not ready" });
    },
  );
}
