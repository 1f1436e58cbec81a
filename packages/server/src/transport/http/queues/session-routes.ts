import { Claiming, PlaceId, SessionOnly } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Sessions } from "../../../app/queues/sessions.ts";
import { anyRole } from "../../auth/access.ts";
import { answering, saying } from "../envelope.ts";
import { keyedRoute, NoBody, route } from "../schemas.ts";
import { queueAnswers } from "./queue-answers.ts";

const params = Type.Object({ id: PlaceId });
const begun = { access: anyRole, isBegun: true } as const;
const hasEnded = "The session has ended.";

export function sessionRoutes(app: FastifyInstance, sessions: Sessions): void {
  app.post(
    "/api/v1/sessions",
    keyedRoute(begun, "claimAdmission", SessionOnly, { body: Claiming }, 201),
    answering(async ({ identity, body }, key) =>
      queueAnswers.claimed(await sessions.claim(identity!, body, key)),
    ),
  );

  app.post(
    "/api/v1/sessions/:id/heartbeat",
    route({ ...begun, cost: 0 }, "heartbeatSession", SessionOnly, { params, body: NoBody }),
    saying("You are in.", ({ identity, params }) => sessions.heartbeat(identity!, params.id)),
  );

  app.post(
    "/api/v1/sessions/:id/complete",
    keyedRoute(begun, "completeSession", SessionOnly, { params }),
    saying(hasEnded, ({ identity, params }, key) => sessions.complete(identity!, params.id, key)),
  );

  app.delete(
    "/api/v1/sessions/:id",
    keyedRoute(begun, "endSession", SessionOnly, { params }),
    saying(hasEnded, ({ identity, params }, key) => sessions.terminate(identity!, params.id, key)),
  );
}
