import {
  Id,
  LadderAtVersion,
  LadderChanges,
  LadderList,
  LadderListQuery,
  LadderTermsOnly,
  NewLadder,
} from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { LadderBook } from "../../../app/ladders/ladder-book.ts";
import type { LadderExports } from "../../../app/ladders/ladder-exports.ts";
import type { LadderImports } from "../../../app/ladders/ladder-imports.ts";
import type { Ladders } from "../../../app/ladders/ladders.ts";
import type { Clock } from "../../../clock.ts";
import { anyRole } from "../../auth/access.ts";
import { roomCost } from "../../limits/charge-more.ts";
import { ConcurrencyLimit } from "../../limits/concurrency.ts";
import { limitConcurrency } from "../../limits/limit-concurrency.ts";
import type { WriteBudgets } from "../../limits/write-budgets.ts";
import { answering, answerOf, createdAt } from "../envelope.ts";
import type { ExpressLane } from "../fast-path/lane.ts";
import { Keyed, keyOf, NoBody, pageOf, schema } from "../schemas.ts";
import { fileRoutes } from "./ladder-file-routes.ts";
import { matchRoutes } from "./match-routes.ts";
import { playerRoutes } from "./player-routes.ts";

/** All that can be asked of ladders. */
export interface LadderUseCases {
  readonly ladders: Ladders;
  readonly book: LadderBook;
  readonly imports: LadderImports;
  readonly exports: LadderExports;
}

/** Matches and histories are read from rows, a few at a time: a crowd of such requests must not keep the log busy. */
const lookupsMax = 512;
const lookupsPerAddressMax = 64;

function limitLookups() {
  return limitConcurrency(new ConcurrencyLimit({ max: lookupsMax, perAddressMax: lookupsPerAddressMax }), {
    address: "Too many lookups from your network at once. Please try again in a moment.",
    all: "Too many lookups at once. Please try again in a moment.",
  });
}

const params = Type.Object({ id: Id });
type WithId = { Params: { id: string } };

export async function ladderRoutes(
  app: FastifyInstance,
  lane: ExpressLane,
  useCases: LadderUseCases,
  deps: { readonly budgets: WriteBudgets; readonly clock: Clock },
): Promise<void> {
  termsRoutes(app, useCases.ladders);
  const onRequest = limitLookups();
  playerRoutes(app, lane, { ...useCases, onRequest });
  matchRoutes(app, lane, { ...useCases, onRequest });
  await fileRoutes(app, { ...useCases, ...deps });
}

function termsRoutes(app: FastifyInstance, ladders: Ladders): void {
  app.post<{ Body: NewLadder }>(
    "/api/v1/ladders",
    {
      config: { access: anyRole, cost: roomCost },
      schema: schema("Make a ladder", { headers: Keyed, body: NewLadder }, 201, LadderTermsOnly),
    },
    answering(async (request) => {
      const created = await ladders.create(request.identity!, request.body, keyOf(request));
      return createdAt(created, ({ ladder }) => `/api/v1/ladders/${ladder.id}`, "The ladder is open.");
    }),
  );

  app.get<{ Querystring: { status?: string; cursor?: string; limit: number } }>(
    "/api/v1/ladders",
    {
      config: { access: "public" },
      schema: schema("List ladders, the newest first", { querystring: LadderListQuery }, 200, LadderList),
    },
    answering(async (request) => {
      const { cursor, limit } = pageOf(request.query);
      const page = await ladders.list({ status: request.query.status, before: cursor, limit });
      return answerOf(page, 200, "Ladders, the newest first.");
    }),
  );

  app.get<WithId>(
    "/api/v1/ladders/:id",
    {
      config: { access: "public", isPersonal: true },
      schema: schema("Look at a ladder, and at where you stand", { params }, 200, LadderAtVersion),
    },
    answering(async (request) =>
      answerOf(await ladders.get(request.identity, request.params.id), 200, "The ladder."),
    ),
  );

  app.patch<WithId & { Body: LadderChanges }>(
    "/api/v1/ladders/:id",
    {
      config: { access: anyRole },
      schema: schema(
        "Change a ladder you made (or any, as an operator)",
        { params, headers: Keyed, body: LadderChanges },
        200,
        LadderTermsOnly,
      ),
    },
    answering(async (request) => {
      const { identity, params, body } = request;
      const changed = await ladders.change(identity!, params.id, body, keyOf(request));
      return answerOf(changed, 200, "The ladder is changed.");
    }),
  );

  app.post<WithId>(
    "/api/v1/ladders/:id/end",
    {
      config: { access: anyRole, isBegun: true },
      schema: schema(
        "End a ladder you made (or any, as an operator)",
        { params, headers: Keyed, body: NoBody },
        200,
        LadderTermsOnly,
      ),
    },
    answering(async (request) => {
      const ended = await ladders.end(request.identity!, request.params.id, keyOf(request));
      return answerOf(ended, 200, "The ladder has ended.");
    }),
  );
}
