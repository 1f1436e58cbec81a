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
import { answering, createdAt, saying } from "../envelope.ts";
import { type FastRoutes, fastRoute } from "../fast-path/fast-route.ts";
import { keyed, keyOf, NoBody, pageOf, schema } from "../schemas.ts";
import { gameAnswers } from "./game-answers.ts";

const params = Type.Object({ id: Id });
const participantParams = Type.Object({ id: Id, userId: UserId });
type WithId = { Params: { id: string } };

export function gameRoutes(app: FastifyInstance, fastPath: FastRoutes, games: Games): void {
  app.post<{ Body: NewGame }>(
    "/api/v1/games",
    {
      config: { access: anyRole, cost: roomCost },
      schema: keyed("Make a game", GameOnly, { body: NewGame }, 201),
    },
    answering(async (request) => {
      const created = await games.create(request.identity!, request.body, keyOf(request));
      return createdAt(created, ({ game }) => `/api/v1/games/${game.id}`, "The game is open.");
    }),
  );

  app.get<{ Querystring: { status?: string; cursor?: string; limit: number } }>(
    "/api/v1/games",
    {
      config: { access: "public" },
      schema: schema("List games, the newest first", { querystring: GameListQuery }, 200, GameList),
    },
    saying("Games, the newest first.", (request) => {
      const { cursor, limit } = pageOf(request.query);
      return games.list({ status: request.query.status, before: cursor, limit });
    }),
  );

  app.get<WithId>(
    "/api/v1/games/:id",
    { config: { access: "public" }, schema: schema("Look at a game", { params }, 200, GameAtVersion) },
    saying("The game.", (request) => games.get(request.identity, request.params.id)),
  );

  seatRoutes(app, fastPath, games);
  makerRoutes(app, games);
}

function seatRoutes(app: FastifyInstance, fastPath: FastRoutes, games: Games): void {
  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/games/:id/join",
    access: ["person"],
    schema: keyed("Join a game, or wait in its line", Joined, { params }),
    handle: async ({ identity, id, key }) => gameAnswers.joined(await games.join(identity, id, key)),
  });

  app.post<WithId>(
    "/api/v1/games/:id/leave",
    {
      config: { access: ["person"], isBegun: true },
      schema: keyed("Leave a game, or its line", GameOnly, { params }),
    },
    answering(async (request) =>
      gameAnswers.left(await games.leave(request.identity!, request.params.id, keyOf(request))),
    ),
  );

  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/games/:id/heartbeat",
    access: ["person"],
    isBegun: true,
    cost: 0,
    schema: schema("Say that you are still in a game", { params, body: NoBody }, 200, OwnPlace),
    handle: async ({ identity, id }) => gameAnswers.heartbeat(await games.heartbeat(identity, id)),
  });

  fastRoute(app, fastPath, {
    method: "GET",
    url: "/api/v1/games/:id/can-join",
    access: ["person"],
    schema: schema("Ask whether you could join", { params }, 200, CanJoin),
    handle: async ({ identity, id }) => gameAnswers.canJoin(await games.canJoin(identity, id)),
  });

  app.get<WithId & { Querystring: { cursor?: string; limit: number; present?: boolean } }>(
    "/api/v1/games/:id/participants",
    {
      config: { access: "public" },
      schema: schema(
        "List who is and was in a game",
        { params, querystring: ParticipantListQuery },
        200,
        ParticipantList,
      ),
    },
    saying("The participants, in the order in which they came.", (request) => {
      const { cursor: after = 0, limit } = pageOf(request.query);
      const { present = false } = request.query;
      return games.participants(request.identity, request.params.id, { after, limit, present });
    }),
  );
}

/** GM6, GM10: for those who made a game, and operators. */
function makerRoutes(app: FastifyInstance, games: Games): void {
  app.post<WithId>(
    "/api/v1/games/:id/end",
    {
      config: { access: anyRole, isBegun: true },
      schema: keyed("End a game you made (or any, as an operator)", GameOnly, { params }),
    },
    saying("The game has ended.", (request) =>
      games.end(request.identity!, request.params.id, keyOf(request)),
    ),
  );

  app.post<{ Params: { id: string; userId: string } }>(
    "/api/v1/games/:id/participants/:userId/remove",
    {
      config: { access: anyRole, isBegun: true },
      schema: keyed("Remove somebody from a game you made (or from any, as an operator)", GameOnly, {
        params: participantParams,
      }),
    },
    saying("This person is no longer in the game.", (request) => {
      const { id, userId } = request.params;
      return games.remove(request.identity!, id, userId as PersonId, keyOf(request));
    }),
  );
}
