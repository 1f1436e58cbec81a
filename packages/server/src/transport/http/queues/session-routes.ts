import { Claiming, PlaceId, SessionOnly } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Sessions } from "../../../app/queues/sessions.ts";
import { anyRole } from "../../auth/access.ts";
import { answering, saying } from "../envelope.ts";
import { keyed, keyOf, NoBody, schema } from "../schemas.ts";
import { queueAnswers } from "./queue-answers.ts";

const params = Type.Object({ id: PlaceId });
type WithId = { Params: { id: string } };

const hasEnded = "The session has ended.";

/** From the claim of an admission to the end of the visit. */
export function sessionRoutes(app: FastifyInstance, sessions: Sessions): void {
  app.post<{ Body: Claiming }>(
    "/api/v1/sessions",
    {
      config: { access: anyRole, isBegun: true },
      schema: keyed("Claim an admission", SessionOnly, { body: Claiming }, 201),
    },
    answering(async (request) =>
      queueAnswers.claimed(await sessions.claim(request.identity!, request.body, keyOf(request))),
    ),
  );

  app.post<WithId>(
    "/api/v1/sessions/:id/heartbeat",
    {
      config: { access: anyRole, isBegun: true, cost: 0 },
      schema: schema("Say that the visit goes on", { params, body: NoBody }, 200, SessionOnly),
    },
    saying("You are in.", (request) => sessions.heartbeat(request.identity!, request.params.id)),
  );

  app.post<WithId>(
    "/api/v1/sessions/:id/complete",
    {
      config: { access: anyRole, isBegun: true },
      schema: keyed("Complete the visit", SessionOnly, { params }),
    },
    saying(hasEnded, (request) => sessions.complete(request.identity!, request.params.id, keyOf(request))),
  );

  app.delete<WithId>(
    "/api/v1/sessions/:id",
    {
      config: { access: anyRole, isBegun: true },
      schema: keyed("Leave, or as a service or an operator send someone out", SessionOnly, { params }),
    },
    saying(hasEnded, (request) => sessions.terminate(request.identity!, request.params.id, keyOf(request))),
  );
}
