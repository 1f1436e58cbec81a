import type { PersonId } from "@openseat/kernel";
import {
  Enrolled,
  Enrolment,
  HeadToHead,
  Id,
  LadderPlayerOnly,
  PlayerBanned,
  PlayerLeft,
  PlayerSearch,
  PlayersFound,
  RatingHistory,
  RatingHistoryQuery,
  Standings,
  StandingsQuery,
  UserId,
} from "@openseat/protocol";
import type { FastifyInstance, onRequestHookHandler } from "fastify";
import Type from "typebox";
import { personOf } from "../../../app/identity.ts";
import type { LadderBook } from "../../../app/ladders/ladder-book.ts";
import type { Ladders } from "../../../app/ladders/ladders.ts";
import { anyRole } from "../../auth/access.ts";
import { answerOf, saying } from "../envelope.ts";
import { type FastRoutes, fastRoute } from "../fast-path/fast-route.ts";
import { keyed, keyedRoute, pageOf, idParams as params, route } from "../schemas.ts";

const playerParams = Type.Object({ id: Id, player: UserId });
const againstParams = Type.Object({ id: Id, player: UserId, opponent: UserId });

/** `onRequest` limits the requests that read rows. */
export function playerRoutes(
  app: FastifyInstance,
  fastPath: FastRoutes,
  ladders: Ladders,
  book: LadderBook,
  onRequest: onRequestHookHandler,
): void {
  enrolmentRoutes(app, ladders);

  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/ladders/:id/join",
    access: ["person"],
    schema: keyed("joinLadder", Enrolled, { params }),
    handle: async ({ identity, id, key }) =>
      answerOf(await ladders.join(identity, id, key), 200, enrolledText),
  });

  app.get(
    "/api/v1/ladders/:id/standings",
    route({ access: "public" }, "getStandings", Standings, {
      params,
      querystring: StandingsQuery,
    }),
    saying("The standings, best rating first.", ({ params, query }) => book.standings(params.id, query)),
  );

  app.get(
    "/api/v1/ladders/:id/players",
    route({ access: "public" }, "findPlayers", PlayersFound, { params, querystring: PlayerSearch }),
    saying(
      "Players whose name begins with the search text.",
      ({ params: { id }, query: { search, limit } }) => book.search(id, search, limit),
    ),
  );

  app.get(
    "/api/v1/ladders/:id/players/:player",
    route({ access: "public" }, "getPlayer", LadderPlayerOnly, { params: playerParams }),
    saying("The player.", ({ params: { id, player } }) => book.player(id, player)),
  );

  app.get(
    "/api/v1/ladders/:id/players/:player/history",
    {
      ...route({ access: "public" }, "getRatingHistory", RatingHistory, {
        params: playerParams,
        querystring: RatingHistoryQuery,
      }),
      onRequest,
    },
    saying("The rating history, newest first.", ({ params: { id, player }, query }) => {
      const { cursor, limit } = pageOf(query);
      return book.history(id, player, cursor, limit);
    }),
  );

  app.get(
    "/api/v1/ladders/:id/players/:player/against/:opponent",
    {
      ...route({ access: "public" }, "getHeadToHead", HeadToHead, { params: againstParams }),
      onRequest,
    },
    saying("The head-to-head record.", ({ params: { id, player, opponent } }) =>
      book.against(id, player, opponent),
    ),
  );
}

function enrolmentRoutes(app: FastifyInstance, ladders: Ladders): void {
  const begun = { access: anyRole, isBegun: true } as const;
  app.post(
    "/api/v1/ladders/:id/players",
    keyedRoute({ access: anyRole }, "enrolPlayer", Enrolled, { params, body: Enrolment }),
    saying(enrolledText, ({ identity, params, body }, key) => ladders.enrol(identity!, params.id, body, key)),
  );

  app.post(
    "/api/v1/ladders/:id/leave",
    keyedRoute({ access: ["person"], isBegun: true }, "leaveLadder", PlayerLeft, { params }),
    saying(leftText, ({ identity, params }, key) =>
      ladders.leave(identity!, params.id, personOf(identity!), key),
    ),
  );

  app.post(
    "/api/v1/ladders/:id/players/:player/leave",
    keyedRoute(begun, "removePlayer", PlayerLeft, { params: playerParams }),
    saying(leftText, ({ identity, params: { id, player } }, key) =>
      ladders.leave(identity!, id, player as PersonId, key),
    ),
  );

  for (const { verb, said, text } of banning)
    app.post(
      `/api/v1/ladders/:id/players/:player/${verb}`,
      keyedRoute(begun, said, PlayerBanned, { params: playerParams }),
      saying(text, ({ identity, params: { id, player } }, key) =>
        ladders[verb](identity!, id, player as PersonId, key),
      ),
    );
}

const banning = [
  {
    verb: "ban",
    said: "banPlayer",
    text: "Banned. Past matches still count.",
  },
  {
    verb: "unban",
    said: "unbanPlayer",
    text: "No longer banned. They may join again.",
  },
] as const;

const leftText = "No longer on the ladder. Past matches still count.";

function enrolledText({ player: { rating } }: Enrolled): string {
  return rating === null ? "Welcome back. You keep your rating." : "Welcome to the ladder.";
}
