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
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from "fastify";
import Type from "typebox";
import { personOf } from "../../../app/identity.ts";
import type { LadderBook } from "../../../app/ladders/ladder-book.ts";
import type { Ladders } from "../../../app/ladders/ladders.ts";
import { anyRole } from "../../auth/access.ts";
import { type Answer, answering, answerOf } from "../envelope.ts";
import { expressRoute } from "../fast-path/express-route.ts";
import type { ExpressLane } from "../fast-path/lane.ts";
import { Keyed, keyOf, NoBody, pageOf, schema } from "../schemas.ts";

const params = Type.Object({ id: Id });
const playerParams = Type.Object({ id: Id, player: UserId });
const againstParams = Type.Object({ id: Id, player: UserId, opponent: UserId });
type WithId = { Params: { id: string } };
type WithPlayer = { Params: { id: string; player: string } };

interface PlayerRouteDeps {
  readonly ladders: Ladders;
  readonly book: LadderBook;
  readonly onRequest: onRequestHookHandler;
}

/** `onRequest` limits what is read from rows. */
export function playerRoutes(
  app: FastifyInstance,
  lane: ExpressLane,
  { ladders, book, onRequest }: PlayerRouteDeps,
): void {
  enrolmentRoutes(app, ladders);

  expressRoute(app, lane, {
    method: "POST",
    url: "/api/v1/ladders/:id/join",
    access: ["person"],
    schema: schema("Become a player", { params, headers: Keyed, body: NoBody }, 200, Enrolled),
    handle: async ({ identity, id, key }) =>
      answerOf(await ladders.join(identity, id, key), 200, enrolledText),
  });

  app.get<WithId & { Querystring: { cursor?: string; from?: number; limit: number } }>(
    "/api/v1/ladders/:id/standings",
    {
      config: { access: "public" },
      schema: schema(
        "The standings, the best first",
        { params, querystring: StandingsQuery },
        200,
        Standings,
      ),
    },
    answering(async (request) =>
      answerOf(await book.standings(request.params.id, request.query), 200, "By rating, the best first."),
    ),
  );

  app.get<WithId & { Querystring: { search: string; limit: number } }>(
    "/api/v1/ladders/:id/players",
    {
      config: { access: "public" },
      schema: schema("Find players by name", { params, querystring: PlayerSearch }, 200, PlayersFound),
    },
    answering(async ({ params: { id }, query: { search, limit } }) =>
      answerOf(await book.search(id, search, limit), 200, "Players whose name begins so."),
    ),
  );

  app.get<WithPlayer>(
    "/api/v1/ladders/:id/players/:player",
    {
      config: { access: "public" },
      schema: schema("Look at a player, with rank", { params: playerParams }, 200, LadderPlayerOnly),
    },
    answering(async ({ params: { id, player } }) =>
      answerOf(await book.player(id, player), 200, "The player."),
    ),
  );

  app.get<WithPlayer & { Querystring: { cursor?: string; limit: number } }>(
    "/api/v1/ladders/:id/players/:player/history",
    {
      onRequest,
      config: { access: "public" },
      schema: schema(
        "How a player's rating went, the newest first",
        { params: playerParams, querystring: RatingHistoryQuery },
        200,
        RatingHistory,
      ),
    },
    answering(async ({ params: { id, player }, query }) => {
      const { cursor, limit } = pageOf(query);
      const page = await book.history(id, player, cursor, limit);
      return answerOf(page, 200, "How the rating went, the newest first.");
    }),
  );

  app.get<{ Params: { id: string; player: string; opponent: string } }>(
    "/api/v1/ladders/:id/players/:player/against/:opponent",
    {
      onRequest,
      config: { access: "public" },
      schema: schema("How two did against each other", { params: againstParams }, 200, HeadToHead),
    },
    answering(async ({ params: { id, player, opponent } }) =>
      answerOf(await book.against(id, player, opponent), 200, "How they did against each other."),
    ),
  );
}

function enrolmentRoutes(app: FastifyInstance, ladders: Ladders): void {
  app.post<WithId & { Body: Enrolment }>(
    "/api/v1/ladders/:id/players",
    {
      config: { access: anyRole },
      schema: schema(
        "Enrol somebody on a ladder you made (or on any, as a service or an operator)",
        { params, headers: Keyed, body: Enrolment },
        200,
        Enrolled,
      ),
    },
    answering(async (request) => {
      const { identity, params, body } = request;
      return answerOf(await ladders.enrol(identity!, params.id, body, keyOf(request)), 200, enrolledText);
    }),
  );

  app.post<WithId>(
    "/api/v1/ladders/:id/leave",
    {
      config: { access: ["person"], isBegun: true },
      schema: schema("Leave a ladder", { params, headers: Keyed, body: NoBody }, 200, PlayerLeft),
    },
    answering((request) => leave(ladders, request, personOf(request.identity!))),
  );

  app.post<WithPlayer>(
    "/api/v1/ladders/:id/players/:player/leave",
    {
      config: { access: anyRole, isBegun: true },
      schema: schema(
        "Take somebody off a ladder you made (or off any, as a service or an operator)",
        { params: playerParams, headers: Keyed, body: NoBody },
        200,
        PlayerLeft,
      ),
    },
    answering((request) => leave(ladders, request, request.params.player as PersonId)),
  );

  for (const { verb, summary, text } of banning)
    app.post<WithPlayer>(
      `/api/v1/ladders/:id/players/:player/${verb}`,
      {
        config: { access: anyRole, isBegun: true },
        schema: schema(summary, { params: playerParams, headers: Keyed, body: NoBody }, 200, PlayerBanned),
      },
      answering(async (request) => {
        const { id, player } = request.params;
        const done = await ladders[verb](request.identity!, id, player as PersonId, keyOf(request));
        return answerOf(done, 200, text);
      }),
    );
}

const banning = [
  {
    verb: "ban",
    summary: "Ban a player from a ladder you made (or from any, as a service or an operator)",
    text: "Banned. The matches played stay.",
  },
  {
    verb: "unban",
    summary: "Let a banned player join again",
    text: "No longer banned. They may join again.",
  },
] as const;

async function leave(ladders: Ladders, request: FastifyRequest<WithId>, person: PersonId): Promise<Answer> {
  const left = await ladders.leave(request.identity!, request.params.id, person, keyOf(request));
  return answerOf(left, 200, "Off the ladder. The matches played stay.");
}

function enrolledText({ player: { rating } }: Enrolled): string {
  return rating === null ? "Welcome back: you have what you had." : "Welcome to the ladder.";
}
