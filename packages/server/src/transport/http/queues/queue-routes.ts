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
import { answering, answerOf, createdAt } from "../envelope.ts";
import { Keyed, keyOf, NoBody, pageOf, schema } from "../schemas.ts";
import { queueAnswers } from "./queue-answers.ts";

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
    answering(async (request) => {
      const { cursor, limit } = pageOf(request.query);
      const page = await queues.list({ status: request.query.status, before: cursor, limit });
      return answerOf(page, 200, "Waiting rooms, the newest first.");
    }),
  );

  app.get<WithId>(
    "/api/v1/queues/:id",
    { config: { access: "public" }, schema: schema("Look at a waiting room", { params }, 200, QueueOnly) },
    answering(async (request) => answerOf(await queues.get(request.params.id), 200, "The waiting room.")),
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
    answering(async (request) => {
      const { identity, params, body } = request;
      const changed = await queues.change(identity!, params.id, body, keyOf(request));
      return answerOf(changed, 200, "The waiting room is changed.");
    }),
  );

  app.get<WithId>(
    "/api/v1/queues/:id/stats",
    {
      config: { access: "public" },
      schema: schema("How a waiting room is doing", { params }, 200, QueueStatsOnly),
    },
    answering(async (request) => answerOf(await queues.stats(request.params.id), 200, "How it goes.")),
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
      schema: schema("Let people in again", { params, headers: Keyed, body: NoBody }, 200, QueueOnly),
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
      schema: schema(
        "End a waiting room, and every place in it",
        { params, headers: Keyed, body: NoBody },
        200,
        QueueOnly,
      ),
    },
    answering(async (request) => {
      const ended = await queues.end(request.identity!, request.params.id, keyOf(request));
      return answerOf(ended, 200, "The waiting room has ended.");
    }),
  );
}
