import {
  NewQueue,
  QueueChanges,
  QueueList,
  QueueListQuery,
  QueueOnly,
  QueueStatsOnly,
} from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import type { Queues } from "../../../app/queues/queues.ts";
import { answering, creating, saying } from "../envelope.ts";
import { keyedRoute, idParams as params, roomPageOf, route } from "../schemas.ts";
import { queueAnswers } from "./queue-answers.ts";

const forOperators = { access: ["operator"] } as const;

/** AD5: operators create waiting rooms and change them while they run. */
export function queueRoutes(app: FastifyInstance, queues: Queues): void {
  app.post(
    "/api/v1/queues",
    keyedRoute(forOperators, "createQueue", QueueOnly, { body: NewQueue }, 201),
    creating("queue", "The waiting room is open.", ({ identity, body }, key) =>
      queues.create(identity!, body, key),
    ),
  );

  app.get(
    "/api/v1/queues",
    route({ access: "public" }, "listQueues", QueueList, {
      querystring: QueueListQuery,
    }),
    saying("Waiting rooms, newest first.", ({ query }) => queues.list(roomPageOf(query))),
  );

  app.get(
    "/api/v1/queues/:id",
    route({ access: "public" }, "getQueue", QueueOnly, {
      params,
    }),
    saying("The waiting room.", ({ params }) => queues.get(params.id)),
  );

  app.patch(
    "/api/v1/queues/:id",
    keyedRoute(forOperators, "changeQueue", QueueOnly, {
      params,
      body: QueueChanges,
    }),
    saying("The waiting room was changed.", ({ identity, params, body }, key) =>
      queues.change(identity!, params.id, body, key),
    ),
  );

  app.get(
    "/api/v1/queues/:id/stats",
    route({ access: "public" }, "getQueueStats", QueueStatsOnly, { params }),
    saying("The statistics of the waiting room.", ({ params }) => queues.stats(params.id)),
  );

  pauseRoutes(app, queues);
}

function pauseRoutes(app: FastifyInstance, queues: Queues): void {
  app.post(
    "/api/v1/queues/:id/pause",
    keyedRoute(forOperators, "pauseQueue", QueueOnly, { params }),
    answering(async ({ identity, params }, key) => {
      const paused = await queues.pause(identity!, params.id, key);
      const text = "The waiting room is paused. Everyone keeps their place.";
      return queueAnswers.switched(paused, text, "The waiting room was already paused.");
    }),
  );

  app.post(
    "/api/v1/queues/:id/resume",
    keyedRoute(forOperators, "resumeQueue", QueueOnly, { params }),
    answering(async ({ identity, params }, key) => {
      const resumed = await queues.resume(identity!, params.id, key);
      return queueAnswers.switched(
        resumed,
        "The waiting room is running again.",
        "The waiting room was not paused.",
      );
    }),
  );

  app.post(
    "/api/v1/queues/:id/end",
    keyedRoute(forOperators, "endQueue", QueueOnly, { params }),
    saying("The waiting room has ended.", ({ identity, params }, key) =>
      queues.end(identity!, params.id, key),
    ),
  );
}
