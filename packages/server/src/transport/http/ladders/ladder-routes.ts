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
import { answering, createdAt, saying } from "../envelope.ts";
import type { FastRoutes } from "../fast-path/fast-route.ts";
import { keyed, keyOf, pageOf, schema } from "../schemas.ts";
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

/** Lookups that read rows, at once: a crowd of them must not keep the log busy. */
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
  fastPath: FastRoutes,
  useCases: LadderUseCases,
  deps: { readonly budgets: WriteBudgets; readonly clock: Clock },
): Promise<void> {
  termsRoutes(app, useCases.ladders);
  const onRequest = limitLookups();
  playerRoutes(app, fastPath, { ...useCases, onRequest });
  matchRoutes(app, fastPath, { ...useCases, onRequest });
  await fileRoutes(app, { ...useCases, ...deps });
}

function termsRoutes(app: FastifyInstance, ladders: Ladders): void {
  app.post<{ Body: NewLadder }>(
    "/api/v1/ladders",
    {
      config: { access: anyRole, cost: roomCost },
      schema: keyed("Make a ladder", LadderTermsOnly, { body: NewLadder }, 201),
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
    saying("Ladders, the newest first.", (request) => {
      const { cursor, limit } = pageOf(request.query);
      return ladders.list({ status: request.query.status, before: cursor, limit });
    }),
  );

  app.get<WithId>(
    "/api/v1/ladders/:id",
    {
      config: { access: "public", isPersonal: true },
      schema: schema("Look at a ladder, and at where you stand", { params }, 200, LadderAtVersion),
    },
    saying("The ladder.", (request) => ladders.get(request.identity, request.params.id)),
  );

  app.patch<WithId & { Body: LadderChanges }>(
    "/api/v1/ladders/:id",
    {
      config: { access: anyRole },
      schema: keyed("Change a ladder you made (or any, as an operator)", LadderTermsOnly, {
        params,
        body: LadderChanges,
      }),
    },
    saying("The ladder is changed.", (request) => {
      const { identity, params, body } = request;
      return ladders.change(identity!, params.id, body, keyOf(request));
    }),
  );

  app.post<WithId>(
    "/api/v1/ladders/:id/end",
    {
      config: { access: anyRole, isBegun: true },
      schema: keyed("End a ladder you made (or any, as an operator)", LadderTermsOnly, { params }),
    },
    saying("The ladder has ended.", (request) =>
      ladders.end(request.identity!, request.params.id, keyOf(request)),
    ),
  );
}
