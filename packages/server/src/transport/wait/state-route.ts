import { placeNotFound } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import { failure, send, success } from "../http/envelope.ts";
import type { WithQueue } from "./pages.ts";
import type { Visits } from "./visits.ts";

/** For pages without a stream: the place, as it is now. Asking is a sign of life (LS1). */
export function stateRoute(app: FastifyInstance, visits: Visits): void {
  app.get<WithQueue>(
    "/wait/:queue/state",
    { config: { access: "public", isBegun: true }, schema: { hide: true } },
    async (request, reply) => {
      const looked = await visits.look(request);
      reply.header("cache-control", "no-store");
      if ("failed" in looked) return send(reply, looked.failed);
      const { shown } = looked.sight;
      return send(reply, shown ? success(200, "Your place.", shown.wait) : failure(placeNotFound));
    },
  );
}
