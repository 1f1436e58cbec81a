import { Entering, PlaceId, PositionDetailsOnly, PositionLeft, PositionOnly } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Positions } from "../../../app/queues/positions.ts";
import { anyRole } from "../../auth/access.ts";
import { saying } from "../envelope.ts";
import { type FastRoutes, fastRoute } from "../fast-path/fast-route.ts";
import { idParams, keyed, keyedRoute, NoBody, route, schema } from "../schemas.ts";
import { queueAnswers } from "./queue-answers.ts";

const params = Type.Object({ id: PlaceId });

const EnterBody = Type.Union([Type.Null(), Entering]);

export function positionRoutes(app: FastifyInstance, fastPath: FastRoutes, positions: Positions): void {
  fastRoute<Entering | undefined>(app, fastPath, {
    method: "POST",
    url: "/api/v1/queues/:id/positions",
    access: anyRole,
    schema: keyed("enterQueue", PositionOnly, { params: idParams, body: EnterBody }, 201),
    handle: ({ identity, id, key, body, address, userAgent }) =>
      queueAnswers.entered(
        positions.enter(identity, id, { given: body, key, origin: { address, userAgent } }),
      ),
  });

  fastRoute(app, fastPath, {
    method: "GET",
    url: "/api/v1/positions/:id",
    access: anyRole,
    isBegun: true,
    schema: schema("getPosition", { params }, 200, PositionOnly),
    handle: ({ identity, id }) => queueAnswers.position(positions.get(identity, id)),
  });

  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/positions/:id/heartbeat",
    access: anyRole,
    isBegun: true,
    cost: 0,
    schema: schema("heartbeatPosition", { params, body: NoBody }, 200, PositionOnly),
    handle: ({ identity, id }) => queueAnswers.position(positions.heartbeat(identity, id)),
  });

  app.get(
    "/api/v1/positions/:id/details",
    route({ access: anyRole }, "getPositionDetails", PositionDetailsOnly, { params }),
    saying("The details of this place.", ({ identity, params }) => positions.details(identity!, params.id)),
  );

  app.delete(
    "/api/v1/positions/:id",
    keyedRoute({ access: anyRole, isBegun: true }, "cancelPosition", PositionLeft, { params }),
    saying("Your place was given up.", ({ identity, params }, key) =>
      positions.leave(identity!, params.id, key),
    ),
  );
}
