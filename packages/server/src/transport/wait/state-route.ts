import { placeNotFound } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import { answerOf, send, sendRefusal } from "../http/envelope.ts";
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
      if ("refusal" in looked) return sendRefusal(reply, looked.refusal);
      const { shown } = looked.value.sight;
      return shown
        ? send(reply, answerOf({ value: shown.wait }, 200, "Your place."))
        : sendRefusal(reply, placeNotFound);
    },
  );
}
