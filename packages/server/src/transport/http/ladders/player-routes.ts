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
import { keyed, keyOf, pageOf, schema } from "../schemas.ts";

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
  fastPath: FastRoutes,
  { ladders, book, onRequest }: PlayerRouteDeps,
): void {
  enrolmentRoutes(app, ladders);

  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/ladders/:id/join",
    access: ["person"],
    schema: keyed("Become a player", Enrolled, { params }),
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
    saying("By rating, the best first.", (request) => book.standings(request.params.id, request.query)),
  );

  app.get<WithId & { Querystring: { search: string; limit: number } }>(
    "/api/v1/ladders/:id/players",
    {
      config: { access: "public" },
      schema: schema("Find players by name", { params, querystring: PlayerSearch }, 200, PlayersFound),
    },
    saying("Players whose name begins so.", ({ params: { id }, query: { search, limit } }) =>
      book.search(id, search, limit),
    ),
  );

  playerReads(app, book, onRequest);
}

function playerReads(app: FastifyInstance, book: LadderBook, onRequest: onRequestHookHandler): void {
  app.get<WithPlayer>(
    "/api/v1/ladders/:id/players/:player",
    {
      config: { access: "public" },
      schema: schema("Look at a player, with rank", { params: playerParams }, 200, LadderPlayerOnly),
    },
    saying("The player.", ({ params: { id, player } }) => book.player(id, player)),
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
    saying("How the rating went, the newest first.", ({ params: { id, player }, query }) => {
      const { cursor, limit } = pageOf(query);
      return book.history(id, player, cursor, limit);
    }),
  );

  app.get<{ Params: { id: string; player: string; opponent: string } }>(
    "/api/v1/ladders/:id/players/:player/against/:opponent",
    {
      onRequest,
      config: { access: "public" },
      schema: schema("How two did against each other", { params: againstParams }, 200, HeadToHead),
    },
    saying("How they did against each other.", ({ params: { id, player, opponent } }) =>
      book.against(id, player, opponent),
    ),
  );
}

function enrolmentRoutes(app: FastifyInstance, ladders: Ladders): void {
  app.post<WithId & { Body: Enrolment }>(
    "/api/v1/ladders/:id/players",
    {
      config: { access: anyRole },
      schema: keyed(
        "Enrol somebody on a ladder you made (or on any, as a service or an operator)",
        Enrolled,
        { params, body: Enrolment },
      ),
    },
    saying(enrolledText, (request) => {
      const { identity, params, body } = request;
      return ladders.enrol(identity!, params.id, body, keyOf(request));
    }),
  );

  app.post<WithId>(
    "/api/v1/ladders/:id/leave",
    {
      config: { access: ["person"], isBegun: true },
      schema: keyed("Leave a ladder", PlayerLeft, { params }),
    },
    saying(leftText, (request) => {
      const identity = request.identity!;
      return ladders.leave(identity, request.params.id, personOf(identity), keyOf(request));
    }),
  );

  app.post<WithPlayer>(
    "/api/v1/ladders/:id/players/:player/leave",
    {
      config: { access: anyRole, isBegun: true },
      schema: keyed(
        "Take somebody off a ladder you made (or off any, as a service or an operator)",
        PlayerLeft,
        { params: playerParams },
      ),
    },
    saying(leftText, (request) => {
      const { id, player } = request.params;
      return ladders.leave(request.identity!, id, player as PersonId, keyOf(request));
    }),
  );

  for (const { verb, summary, text } of banning)
    app.post<WithPlayer>(
      `/api/v1/ladders/:id/players/:player/${verb}`,
      {
        config: { access: anyRole, isBegun: true },
        schema: keyed(summary, PlayerBanned, { params: playerParams }),
      },
      saying(text, (request) => {
        const { id, player } = request.params;
        return ladders[verb](request.identity!, id, player as PersonId, keyOf(request));
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

const leftText = "Off the ladder. The matches played stay.";

function enrolledText({ player: { rating } }: Enrolled): string {
  return rating === null ? "Welcome back: you have what you had." : "Welcome to the ladder.";
}
