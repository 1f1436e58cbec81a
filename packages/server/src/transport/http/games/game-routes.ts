import type { PersonId } from "@openseat/kernel";
import {
  CanJoin,
  GameAtVersion,
  GameList,
  GameListQuery,
  GameOnly,
  Id,
  Joined,
  NewGame,
  OwnPlace,
  ParticipantList,
  ParticipantListQuery,
  UserId,
} from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Games } from "../../../app/games/games.ts";
import { anyRole } from "../../auth/access.ts";
import { roomCost } from "../../limits/charge-more.ts";
import { answering, creating, saying } from "../envelope.ts";
import { type FastRoutes, fastRoute } from "../fast-path/fast-route.ts";
import {
  keyed,
  keyedRoute,
  NoBody,
  pageOf,
  idParams as params,
  roomPageOf,
  route,
  schema,
} from "../schemas.ts";
import { gameAnswers } from "./game-answers.ts";

const participantParams = Type.Object({ id: Id, userId: UserId });

export function gameRoutes(app: FastifyInstance, fastPath: FastRoutes, games: Games): void {
  app.post(
    "/api/v1/games",
    keyedRoute({ access: anyRole, cost: roomCost }, "createGame", GameOnly, { body: NewGame }, 201),
    creating("game", "The game is open.", ({ identity, body }, key) => games.create(identity!, body, key)),
  );

  app.get(
    "/api/v1/games",
    route({ access: "public" }, "listGames", GameList, {
      querystring: GameListQuery,
    }),
    saying("Games, newest first.", ({ query }) => games.list(roomPageOf(query))),
  );

  app.get(
    "/api/v1/games/:id",
    route({ access: "public" }, "getGame", GameAtVersion, { params }),
    saying("The game.", ({ identity, params }) => games.get(identity, params.id)),
  );

  seatRoutes(app, fastPath, games);
  makerRoutes(app, games);
}

function seatRoutes(app: FastifyInstance, fastPath: FastRoutes, games: Games): void {
  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/games/:id/join",
    access: ["person"],
    schema: keyed("joinGame", Joined, { params }),
    handle: ({ identity, id, key }) => games.join(identity, id, key).then(gameAnswers.joined),
  });

  app.post(
    "/api/v1/games/:id/leave",
    keyedRoute({ access: ["person"], isBegun: true }, "leaveGame", GameOnly, { params }),
    answering(async ({ identity, params }, key) =>
      gameAnswers.left(await games.leave(identity!, params.id, key)),
    ),
  );

  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/games/:id/heartbeat",
    access: ["person"],
    isBegun: true,
    cost: 0,
    schema: schema("heartbeatGame", { params, body: NoBody }, 200, OwnPlace),
    handle: ({ identity, id }) => games.heartbeat(identity, id).then(gameAnswers.heartbeat),
  });

  fastRoute(app, fastPath, {
    method: "GET",
    url: "/api/v1/games/:id/can-join",
    access: ["person"],
    schema: schema("canJoinGame", { params }, 200, CanJoin),
    handle: ({ identity, id }) => games.canJoin(identity, id).then(gameAnswers.canJoin),
  });

  app.get(
    "/api/v1/games/:id/participants",
    route({ access: "public" }, "listParticipants", ParticipantList, {
      params,
      querystring: ParticipantListQuery,
    }),
    saying("The participants, in order of arrival.", ({ identity, params, query }) => {
      const { cursor: after = 0, limit } = pageOf(query);
      return games.participants(identity, params.id, { after, limit, present: query.present ?? false });
    }),
  );
}

/** GM6, GM10: for the creator of a game, and for operators. */
function makerRoutes(app: FastifyInstance, games: Games): void {
  const begun = { access: anyRole, isBegun: true } as const;
  app.post(
    "/api/v1/games/:id/end",
    keyedRoute(begun, "endGame", GameOnly, { params }),
    saying("The game has ended.", ({ identity, params }, key) => games.end(identity!, params.id, key)),
  );

  app.post(
    "/api/v1/games/:id/participants/:userId/remove",
    keyedRoute(begun, "removeParticipant", GameOnly, {
      params: participantParams,
    }),
    saying("The person was removed from the game.", ({ identity, params: { id, userId } }, key) =>
      games.remove(identity!, id, userId as PersonId, key),
    ),
  );
}
