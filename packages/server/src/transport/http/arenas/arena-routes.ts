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
import { answering, creating, saying, sendRefusal } from "../envelope.ts";
import { type FastRoutes, fastRoute } from "../fast-path/fast-route.ts";
import { keyed, keyedRoute, pageOf, idParams as params, roomPageOf, route } from "../schemas.ts";
import { sendText } from "../text-stream.ts";
import { arenaAnswers } from "./arena-answers.ts";
import { replayText } from "./replay-text.ts";

const replaysMax = 128;
const replaysPerAddressMax = 8;

const matchParams = Type.Object({ id: Id, match: NewMove.properties.match });

export function arenaRoutes(
  app: FastifyInstance,
  fastPath: FastRoutes,
  arenas: Arenas,
  matches: Matches,
  budgets: WriteBudgets,
  clock: Clock,
): void {
  const begun = { access: anyRole, isBegun: true } as const;
  app.post(
    "/api/v1/arenas",
    {
      ...keyedRoute(
        { access: anyRole, cost: roomCost },
        "createArena",
        ArenaTermsOnly,
        { body: NewArena },
        201,
      ),
      preHandler: chargeMore<NewArena>(budgets, ({ tiers = [] }) => roomCost * Math.max(0, tiers.length - 1)),
    },
    creating("arena", "The arena is open.", ({ identity, body }, key) => arenas.create(identity!, body, key)),
  );

  app.get(
    "/api/v1/arenas",
    route({ access: "public" }, "listArenas", ArenaList, {
      querystring: ArenaListQuery,
    }),
    saying("Arenas, newest first.", ({ query }) => arenas.list(roomPageOf(query))),
  );

  app.get(
    "/api/v1/arenas/:id",
    route({ access: "public", isPersonal: true }, "getArena", ArenaAtVersion, {
      params,
    }),
    saying("The arena.", ({ identity, params }) => arenas.get(identity, params.id)),
  );

  app.patch(
    "/api/v1/arenas/:id",
    keyedRoute({ access: anyRole }, "changeArena", ArenaTermsOnly, {
      params,
      body: ArenaChanges,
    }),
    saying("The arena was changed.", ({ identity, params, body }, key) =>
      arenas.change(identity!, params.id, body, key),
    ),
  );

  app.post(
    "/api/v1/arenas/:id/end",
    keyedRoute(begun, "endArena", ArenaTermsOnly, {
      params,
    }),
    saying("The arena has ended.", ({ identity, params }, key) => arenas.end(identity!, params.id, key)),
  );

  playRoutes(app, fastPath, arenas);
  matchRoutes(app, matches, clock);
}

function playRoutes(app: FastifyInstance, fastPath: FastRoutes, arenas: Arenas): void {
  fastRoute(app, fastPath, {
    method: "POST",
    url: "/api/v1/arenas/:id/join",
    access: ["person"],
    schema: keyed("joinArena", ArenaJoined, { params }),
    handle: async ({ identity, id, key }) => arenaAnswers.joined(await arenas.join(identity, id, key)),
  });

  fastRoute<NewMove>(app, fastPath, {
    method: "POST",
    url: "/api/v1/arenas/:id/moves",
    access: ["person"],
    isBegun: true,
    schema: keyed("makeMove", MoveMade, { params, body: NewMove }),
    handle: async ({ identity, id, key, body }) =>
      arenaAnswers.moved(await arenas.move(identity, id, body, key)),
  });

  const begun = { access: ["person"], isBegun: true } as const;
  app.post(
    "/api/v1/arenas/:id/leave",
    keyedRoute(begun, "leaveArena", ArenaLeft, { params }),
    answering(async ({ identity, params }, key) =>
      arenaAnswers.left(await arenas.leave(identity!, params.id, key)),
    ),
  );

  app.post(
    "/api/v1/arenas/:id/resign",
    keyedRoute(begun, "resign", MoveMade, { params, body: Resignation }),
    answering(async ({ identity, params, body }, key) =>
      arenaAnswers.resigned(await arenas.resign(identity!, params.id, body, key)),
    ),
  );

  app.post(
    "/api/v1/arenas/:id/result",
    keyedRoute({ access: ["service"], isBegun: true }, "reportResult", MoveMade, { params, body: NewResult }),
    saying("The result was recorded.", ({ identity, params, body }, key) =>
      arenas.report(identity!, params.id, body, key),
    ),
  );
}

function matchRoutes(app: FastifyInstance, matches: Matches, clock: Clock): void {
  app.get(
    "/api/v1/arenas/:id/matches",
    route({ access: "public" }, "listArenaMatches", MatchList, {
      params,
      querystring: MatchListQuery,
    }),
    saying("Finished matches, newest first.", ({ params, query }) => {
      const { cursor, limit } = pageOf(query);
      return matches.list(params.id, cursor, limit);
    }),
  );

  app.get(
    "/api/v1/arenas/:id/matches/:match",
    {
      ...route({ access: "public" }, "getReplay", Replay, { params: matchParams }),
      onRequest: limitConcurrency(
        new ConcurrencyLimit({ max: replaysMax, perAddressMax: replaysPerAddressMax }),
        tooManyReplays,
      ),
    },
    async ({ params: { id, match } }, reply) => {
      const replay = await matches.replay(id, Number(match), () => !reply.raw.destroyed);
      if ("refusal" in replay) return sendRefusal(reply, replay.refusal);
      reply.header("content-type", "application/json; charset=utf-8");
      return sendText(reply, replayText(replay), clock);
    },
  );
}

const tooManyReplays: TooMany = {
  address: "Your network is already loading other replays. Please try again in a moment.",
  all: "Too many replays are being loaded. Please try again in a moment.",
};
