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
import { answering, createdAt, saying, sendRefusal } from "../envelope.ts";
import { type FastRoutes, fastRoute } from "../fast-path/fast-route.ts";
import { keyed, keyOf, pageOf, schema } from "../schemas.ts";
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
  fastPath: FastRoutes,
  arenas: Arenas,
  matches: Matches,
  budgets: WriteBudgets,
  clock: Clock,
): void {
  app.post<{ Body: NewArena }>(
    "/api/v1/arenas",
    {
      config: { access: anyRole, cost: roomCost },
      schema: keyed("Make an arena", ArenaTermsOnly, { body: NewArena }, 201),
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
    saying("Arenas, the newest first.", (request) => {
      const { cursor, limit } = pageOf(request.query);
      return arenas.list({ status: request.query.status, before: cursor, limit });
    }),
  );

  app.get<WithId>(
    "/api/v1/arenas/:id",
    {
      config: { access: "public", isPersonal: true },
      schema: schema("Look at an arena, as you may see it", { params }, 200, ArenaAtVersion),
    },
    saying("The arena.", (request) => arenas.get(request.identity, request.params.id)),
  );

  app.patch<WithId & { Body: ArenaChanges }>(
    "/api/v1/arenas/:id",
    {
      config: { access: anyRole },
      schema: keyed("Change an arena you made (or any, as an operator)", ArenaTermsOnly, {
        params,
        body: ArenaChanges,
      }),
    },
    saying("The arena is changed.", (request) => {
      const { identity, params, body } = request;
      return arenas.change(identity!, params.id, body, keyOf(request));
    }),
  );

  app.post<WithId>(
    "/api/v1/arenas/:id/end",
    {
      config: { access: anyRole, isBegun: true },
      schema: keyed("End an arena you made (or any, as an operator)", ArenaTermsOnly, { params }),
    },
    saying("The arena has ended.", (request) =>
      arenas.end(request.identity!, request.params.id, keyOf(request)),
    ),
  );

  playRoutes(app, fastPath, arenas);
  matchRoutes(app, matches, clock);
}

function playRoutes(app: FastifyInstance, fastPath: FastRoutes, arenas: Arenas): void {
  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/arenas/:id/join",
    access: ["person"],
    schema: keyed("Take a seat, or wait in line", ArenaJoined, { params }),
    handle: async ({ identity, id, key }) => arenaAnswers.joined(await arenas.join(identity, id, key)),
  });

  fastRoute<NewMove>(app, fastPath, {
    method: "POST",
    url: "/api/v1/arenas/:id/moves",
    access: ["person"],
    isBegun: true,
    schema: keyed("Make a move", MoveMade, { params, body: NewMove }),
    handle: async ({ identity, id, key, body }) =>
      arenaAnswers.moved(await arenas.move(identity, id, body, key)),
  });

  app.post<WithId>(
    "/api/v1/arenas/:id/leave",
    {
      config: { access: ["person"], isBegun: true },
      schema: keyed("Leave your seat, or the line", ArenaLeft, { params }),
    },
    answering(async (request) =>
      arenaAnswers.left(await arenas.leave(request.identity!, request.params.id, keyOf(request))),
    ),
  );

  app.post<WithId & { Body: Resignation }>(
    "/api/v1/arenas/:id/resign",
    {
      config: { access: ["person"], isBegun: true },
      schema: keyed("Give a match up", MoveMade, { params, body: Resignation }),
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
      schema: keyed("Report the result of a match played elsewhere", MoveMade, { params, body: NewResult }),
    },
    saying("The result is noted.", (request) => {
      const { identity, params, body } = request;
      return arenas.report(identity!, params.id, body, keyOf(request));
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
    saying("Matches that are over, the newest first.", (request) => {
      const { cursor, limit } = pageOf(request.query);
      return matches.list(request.params.id, cursor, limit);
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
