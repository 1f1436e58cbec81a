import {
  ArenaAtVersion,
  ArenaChanges,
  ArenaJoined,
  ArenaLeft,
  ArenaList,
  ArenaListQuery,
  ArenaTermsOnly,
  Id,
  MatchList,
  MatchListQuery,
  MoveMade,
  NewArena,
  NewMove,
  NewResult,
  Replay,
  Resignation,
} from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Arenas } from "../../../app/arenas/arenas.ts";
import type { Matches } from "../../../app/arenas/matches.ts";
import type { Clock } from "../../../clock.ts";
import { anyRole } from "../../auth/access.ts";
import { chargeMore, roomCost } from "../../limits/charge-more.ts";
import { ConcurrencyLimit } from "../../limits/concurrency.ts";
import { limitConcurrency, type TooMany } from "../../limits/limit-concurrency.ts";
import type { WriteBudgets } from "../../limits/write-budgets.ts";
import { answering, answerOf, createdAt, sendRefusal } from "../envelope.ts";
import { expressRoute } from "../fast-path/express-route.ts";
import type { ExpressLane } from "../fast-path/lane.ts";
import { Keyed, keyOf, NoBody, pageOf, schema } from "../schemas.ts";
import { sendText } from "../text-stream.ts";
import { arenaAnswers } from "./arena-answers.ts";
import { replayText } from "./replay-text.ts";

/** Under way at the same time. */
const replaysMax = 128;
const replaysPerAddressMax = 8;

const params = Type.Object({ id: Id });
const matchParams = Type.Object({ id: Id, match: NewMove.properties.match });
type WithId = { Params: { id: string } };
type Page = { cursor?: string; limit: number };

export function arenaRoutes(
  app: FastifyInstance,
  lane: ExpressLane,
  arenas: Arenas,
  matches: Matches,
  budgets: WriteBudgets,
  clock: Clock,
): void {
  app.post<{ Body: NewArena }>(
    "/api/v1/arenas",
    {
      config: { access: anyRole, cost: roomCost },
      schema: schema("Make an arena", { headers: Keyed, body: NewArena }, 201, ArenaTermsOnly),
      preHandler: chargeMore<NewArena>(budgets, ({ tiers = [] }) => roomCost * Math.max(0, tiers.length - 1)),
    },
    answering(async (request) => {
      const created = await arenas.create(request.identity!, request.body, keyOf(request));
      return createdAt(created, ({ arena }) => `/api/v1/arenas/${arena.id}`, "The arena is open.");
    }),
  );

  app.get<{ Querystring: Page & { status?: string } }>(
    "/api/v1/arenas",
    {
      config: { access: "public" },
      schema: schema("List arenas, the newest first", { querystring: ArenaListQuery }, 200, ArenaList),
    },
    answering(async (request) => {
      const { cursor, limit } = pageOf(request.query);
      const page = await arenas.list({ status: request.query.status, before: cursor, limit });
      return answerOf(page, 200, "Arenas, the newest first.");
    }),
  );

  app.get<WithId>(
    "/api/v1/arenas/:id",
    {
      config: { access: "public", isPersonal: true },
      schema: schema("Look at an arena, as you may see it", { params }, 200, ArenaAtVersion),
    },
    answering(async (request) =>
      answerOf(await arenas.get(request.identity, request.params.id), 200, "The arena."),
    ),
  );

  app.patch<WithId & { Body: ArenaChanges }>(
    "/api/v1/arenas/:id",
    {
      config: { access: anyRole },
      schema: schema(
        "Change an arena you made (or any, as an operator)",
        { params, headers: Keyed, body: ArenaChanges },
        200,
        ArenaTermsOnly,
      ),
    },
    answering(async (request) => {
      const { identity, params, body } = request;
      const changed = await arenas.change(identity!, params.id, body, keyOf(request));
      return answerOf(changed, 200, "The arena is changed.");
    }),
  );

  app.post<WithId>(
    "/api/v1/arenas/:id/end",
    {
      config: { access: anyRole, isBegun: true },
      schema: schema(
        "End an arena you made (or any, as an operator)",
        { params, headers: Keyed, body: NoBody },
        200,
        ArenaTermsOnly,
      ),
    },
    answering(async (request) => {
      const ended = await arenas.end(request.identity!, request.params.id, keyOf(request));
      return answerOf(ended, 200, "The arena has ended.");
    }),
  );

  playRoutes(app, lane, arenas);
  matchRoutes(app, matches, clock);
}

function playRoutes(app: FastifyInstance, lane: ExpressLane, arenas: Arenas): void {
  expressRoute(app, lane, {
    method: "POST",
    url: "/api/v1/arenas/:id/join",
    access: ["person"],
    schema: schema(
      "Take a seat, or wait in line",
      { params, headers: Keyed, body: NoBody },
      200,
      ArenaJoined,
    ),
    handle: async ({ identity, id, key }) => arenaAnswers.joined(await arenas.join(identity, id, key)),
  });

  expressRoute<NewMove>(app, lane, {
    method: "POST",
    url: "/api/v1/arenas/:id/moves",
    access: ["person"],
    isBegun: true,
    schema: schema("Make a move", { params, headers: Keyed, body: NewMove }, 200, MoveMade),
    handle: async ({ identity, id, key, body }) =>
      arenaAnswers.moved(await arenas.move(identity, id, body, key)),
  });

  app.post<WithId>(
    "/api/v1/arenas/:id/leave",
    {
      config: { access: ["person"], isBegun: true },
      schema: schema(
        "Leave your seat, or the line",
        { params, headers: Keyed, body: NoBody },
        200,
        ArenaLeft,
      ),
    },
    answering(async (request) =>
      arenaAnswers.left(await arenas.leave(request.identity!, request.params.id, keyOf(request))),
    ),
  );

  app.post<WithId & { Body: Resignation }>(
    "/api/v1/arenas/:id/resign",
    {
      config: { access: ["person"], isBegun: true },
      schema: schema("Give a match up", { params, headers: Keyed, body: Resignation }, 200, MoveMade),
    },
    answering(async (request) => {
      const { identity, params, body } = request;
      return arenaAnswers.resigned(await arenas.resign(identity!, params.id, body, keyOf(request)));
    }),
  );

  app.post<WithId & { Body: NewResult }>(
    "/api/v1/arenas/:id/result",
    {
      config: { access: ["service"], isBegun: true },
      schema: schema(
        "Report the result of a match played elsewhere",
        { params, headers: Keyed, body: NewResult },
        200,
        MoveMade,
      ),
    },
    answering(async (request) => {
      const { identity, params, body } = request;
      const reported = await arenas.report(identity!, params.id, body, keyOf(request));
      return answerOf(reported, 200, "The result is noted.");
    }),
  );
}

function matchRoutes(app: FastifyInstance, matches: Matches, clock: Clock): void {
  app.get<WithId & { Querystring: Page }>(
    "/api/v1/arenas/:id/matches",
    {
      config: { access: "public" },
      schema: schema(
        "List the matches that are over, the newest first",
        { params, querystring: MatchListQuery },
        200,
        MatchList,
      ),
    },
    answering(async (request) => {
      const { cursor, limit } = pageOf(request.query);
      const page = await matches.list(request.params.id, cursor, limit);
      return answerOf(page, 200, "Matches that are over, the newest first.");
    }),
  );

  app.get<{ Params: { id: string; match: string } }>(
    "/api/v1/arenas/:id/matches/:match",
    {
      config: { access: "public" },
      onRequest: limitConcurrency(
        new ConcurrencyLimit({ max: replaysMax, perAddressMax: replaysPerAddressMax }),
        tooManyReplays,
      ),
      schema: schema("Replay a match that is over", { params: matchParams }, 200, Replay),
    },
    async (request, reply) => {
      const { id, match } = request.params;
      const replay = await matches.replay(id, Number(match), () => !reply.raw.destroyed);
      if ("refusal" in replay) return sendRefusal(reply, replay.refusal);
      reply.header("content-type", "application/json; charset=utf-8");
      return sendText(reply, replayText(replay), clock);
    },
  );
}

const tooManyReplays: TooMany = {
  address: "This network is loading other replays just now. Please try again in a moment.",
  all: "Many replays are being loaded just now. Please try again in a moment.",
};
