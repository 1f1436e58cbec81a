import { Entering, PlaceId, PositionDetailsOnly, PositionLeft, PositionOnly } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Positions } from "../../../app/queues/positions.ts";
import { anyRole } from "../../auth/access.ts";
import { saying } from "../envelope.ts";
import { type FastRoutes, fastRoute } from "../fast-path/fast-route.ts";
import { about, idParams, keyed, keyedRoute, NoBody, route, schema } from "../schemas.ts";
import { queueAnswers } from "./queue-answers.ts";

const params = Type.Object({ id: PlaceId });

const EnterBody = Type.Union([Type.Null(), Entering]);

export function positionRoutes(app: FastifyInstance, fastPath: FastRoutes, positions: Positions): void {
  fastRoute<Entering | undefined>(app, fastPath, {
    method: "POST",
    url: "/api/v1/queues/:id/positions",
    access: anyRole,
    schema: keyed(
      about(
        "enterQueue",
        "Enter the line, or find your place in it",
        "room.not-found",
        "room.ended",
        "lane.unknown",
        "lane.forbidden",
        "line.full",
        "room.worn-out",
      ),
      PositionOnly,
      { params: idParams, body: EnterBody },
      201,
    ),
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
    schema: schema(
      about("getPosition", "Get your position", "place.not-found"),
      { params },
      200,
      PositionOnly,
    ),
    handle: ({ identity, id }) => queueAnswers.position(positions.get(identity, id)),
  });

  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/positions/:id/heartbeat",
    access: anyRole,
    isBegun: true,
    cost: 0,
    schema: schema(
      about("heartbeatPosition", "Keep your place in a line", "place.not-found", "place.over"),
      { params, body: NoBody },
      200,
      PositionOnly,
    ),
    handle: ({ identity, id }) => queueAnswers.position(positions.heartbeat(identity, id)),
  });

  app.get(
    "/api/v1/positions/:id/details",
    route(
      { access: anyRole },
      about("getPositionDetails", "Get what is stored with a place", "place.not-found"),
      PositionDetailsOnly,
      { params },
    ),
    saying("What is kept with this place.", ({ identity, params }) =>
      positions.details(identity!, params.id),
    ),
  );

  app.delete(
    "/api/v1/positions/:id",
    keyedRoute(
      { access: anyRole, isBegun: true },
      about("cancelPosition", "Give up your place", "place.not-found", "place.over", "place.unready"),
      PositionLeft,
      { params },
    ),
    saying("Your place is given up.", ({ identity, params }, key) =>
      positions.leave(identity!, params.id, key),
    ),
  );
}
