import {
  Id,
  NewQueue,
  QueueChanges,
  QueueList,
  QueueListQuery,
  QueueOnly,
  QueueStatsOnly,
} from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Queues } from "../../../app/queues/queues.ts";
import { answering } from "../envelope.ts";
import { Keyed, keyOf, NoBody, pageOf, schema } from "../schemas.ts";

const params = Type.Object({ id: Id });
type WithId = { Params: { id: string } };

/** AD5: operators make waiting rooms and change them while they run. */
export function queueRoutes(app: FastifyInstance, queues: Queues): void {
  app.post<{ Body: NewQueue }>(
    "/api/v1/queues",
    {
      config: { access: ["operator"] },
      schema: schema("Make a waiting room", { headers: Keyed, body: NewQueue }, 201, QueueOnly),
    },
    answering((request) => queues.create(request.identity!, request.body, keyOf(request))),
  );

  app.get<{ Querystring: { status?: string; cursor?: string; limit: number } }>(
    "/api/v1/queues",
    {
      config: { access: "public" },
      schema: schema("List waiting rooms, the newest first", { querystring: QueueListQuery }, 200, QueueList),
    },
    answering((request) => {
      const { cursor, limit } = pageOf(request.query);
      return queues.list({ status: request.query.status, before: cursor, limit });
    }),
  );

  app.get<WithId>(
    "/api/v1/queues/:id",
    { config: { access: "public" }, schema: schema("Look at a waiting room", { params }, 200, QueueOnly) },
    answering((request) => queues.get(request.params.id)),
  );

  app.patch<WithId & { Body: QueueChanges }>(
    "/api/v1/queues/:id",
    {
      config: { access: ["operator"] },
      schema: schema(
        "Change a waiting room while it runs",
        { params, headers: Keyed, body: QueueChanges },
        200,
        QueueOnly,
      ),
    },
    answering((request) => queues.change(request.identity!, request.params.id, request.body, keyOf(request))),
  );

  app.get<WithId>(
    "/api/v1/queues/:id/stats",
    {
      config: { access: "public" },
      schema: schema("How a waiting room is doing", { params }, 200, QueueStatsOnly),
    },
    answering((request) => queues.stats(request.params.id)),
  );

  pauseRoutes(app, queues);
}

function pauseRoutes(app: FastifyInstance, queues: Queues): void {
  app.post<WithId>(
    "/api/v1/queues/:id/pause",
    {
      config: { access: ["operator"] },
      schema: schema(
        "Let nobody in for now; everyone keeps their place",
        { params, headers: Keyed, body: NoBody },
        200,
        QueueOnly,
      ),
    },
    answering((request) => queues.pause(request.identity!, request.params.id, keyOf(request))),
  );

  app.post<WithId>(
    "/api/v1/queues/:id/resume",
    {
      config: { access: ["operator"] },
      schema: schema("Let people in again", { params, headers: Keyed, body: NoBody }, 200, QueueOnly),
    },
    answering((request) => queues.resume(request.identity!, request.params.id, keyOf(request))),
  );

  app.post<WithId>(
    "/api/v1/queues/:id/end",
    {
      config: { access: ["operator"] },
      schema: schema(
        "End a waiting room, and every place in it",
        { params, headers: Keyed, body: NoBody },
        200,
        QueueOnly,
      ),
    },
    answering((request) => queues.end(request.identity!, request.params.id, keyOf(request))),
  );
}
