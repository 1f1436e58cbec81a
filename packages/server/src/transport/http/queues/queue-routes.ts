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
import { answering, createdAt, saying } from "../envelope.ts";
import { keyed, keyOf, pageOf, schema } from "../schemas.ts";
import { queueAnswers } from "./queue-answers.ts";

const params = Type.Object({ id: Id });
type WithId = { Params: { id: string } };

/** AD5: operators make waiting rooms and change them while they run. */
export function queueRoutes(app: FastifyInstance, queues: Queues): void {
  app.post<{ Body: NewQueue }>(
    "/api/v1/queues",
    {
      config: { access: ["operator"] },
      schema: keyed("Make a waiting room", QueueOnly, { body: NewQueue }, 201),
    },
    answering(async (request) => {
      const created = await queues.create(request.identity!, request.body, keyOf(request));
      return createdAt(created, ({ queue }) => `/api/v1/queues/${queue.id}`, "The waiting room is open.");
    }),
  );

  app.get<{ Querystring: { status?: string; cursor?: string; limit: number } }>(
    "/api/v1/queues",
    {
      config: { access: "public" },
      schema: schema("List waiting rooms, the newest first", { querystring: QueueListQuery }, 200, QueueList),
    },
    saying("Waiting rooms, the newest first.", (request) => {
      const { cursor, limit } = pageOf(request.query);
      return queues.list({ status: request.query.status, before: cursor, limit });
    }),
  );

  app.get<WithId>(
    "/api/v1/queues/:id",
    { config: { access: "public" }, schema: schema("Look at a waiting room", { params }, 200, QueueOnly) },
    saying("The waiting room.", (request) => queues.get(request.params.id)),
  );

  app.patch<WithId & { Body: QueueChanges }>(
    "/api/v1/queues/:id",
    {
      config: { access: ["operator"] },
      schema: keyed("Change a waiting room while it runs", QueueOnly, { params, body: QueueChanges }),
    },
    saying("The waiting room is changed.", (request) => {
      const { identity, params, body } = request;
      return queues.change(identity!, params.id, body, keyOf(request));
    }),
  );

  app.get<WithId>(
    "/api/v1/queues/:id/stats",
    {
      config: { access: "public" },
      schema: schema("How a waiting room is doing", { params }, 200, QueueStatsOnly),
    },
    saying("How it goes.", (request) => queues.stats(request.params.id)),
  );

  pauseRoutes(app, queues);
}

function pauseRoutes(app: FastifyInstance, queues: Queues): void {
  app.post<WithId>(
    "/api/v1/queues/:id/pause",
    {
      config: { access: ["operator"] },
      schema: keyed("Let nobody in for now; everyone keeps their place", QueueOnly, { params }),
    },
    answering(async (request) => {
      const paused = await queues.pause(request.identity!, request.params.id, keyOf(request));
      const text = "Nobody is let in any more. Everyone keeps their place.";
      return queueAnswers.switched(paused, text, "It was paused already.");
    }),
  );

  app.post<WithId>(
    "/api/v1/queues/:id/resume",
    {
      config: { access: ["operator"] },
      schema: keyed("Let people in again", QueueOnly, { params }),
    },
    answering(async (request) => {
      const resumed = await queues.resume(request.identity!, request.params.id, keyOf(request));
      return queueAnswers.switched(resumed, "People are let in again.", "It was not paused.");
    }),
  );

  app.post<WithId>(
    "/api/v1/queues/:id/end",
    {
      config: { access: ["operator"] },
      schema: keyed("End a waiting room, and every place in it", QueueOnly, { params }),
    },
    saying("The waiting room has ended.", (request) =>
      queues.end(request.identity!, request.params.id, keyOf(request)),
    ),
  );
}
