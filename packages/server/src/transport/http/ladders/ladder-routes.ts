import {
  LadderAtVersion,
  LadderChanges,
  LadderList,
  LadderListQuery,
  LadderTermsOnly,
  NewLadder,
} from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
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
import { creating, saying } from "../envelope.ts";
import type { FastRoutes } from "../fast-path/fast-route.ts";
import { keyedRoute, idParams as params, roomPageOf, route } from "../schemas.ts";
import { fileRoutes } from "./ladder-file-routes.ts";
import { matchRoutes } from "./match-routes.ts";
import { playerRoutes } from "./player-routes.ts";

export interface LadderUseCases {
  readonly ladders: Ladders;
  readonly book: LadderBook;
  readonly imports: LadderImports;
  readonly exports: LadderExports;
}

/** Concurrent lookups that read rows: a crowd of them must not keep the log busy. */
const lookupsMax = 512;
const lookupsPerAddressMax = 64;

export async function ladderRoutes(
  app: FastifyInstance,
  fastPath: FastRoutes,
  useCases: LadderUseCases,
  deps: { readonly budgets: WriteBudgets; readonly clock: Clock },
): Promise<void> {
  const { ladders, book } = useCases;
  const lookups = new ConcurrencyLimit({ max: lookupsMax, perAddressMax: lookupsPerAddressMax });
  const onRequest = limitConcurrency(lookups, {
    address: "Too many lookups from your network at once. Please try again in a moment.",
    all: "Too many lookups at once. Please try again in a moment.",
  });
  termsRoutes(app, ladders);
  playerRoutes(app, fastPath, ladders, book, onRequest);
  matchRoutes(app, fastPath, ladders, book, onRequest);
  await fileRoutes(app, { ...useCases, ...deps });
}

function termsRoutes(app: FastifyInstance, ladders: Ladders): void {
  const begun = { access: anyRole, isBegun: true } as const;
  app.post(
    "/api/v1/ladders",
    keyedRoute(
      { access: anyRole, cost: roomCost },
      "createLadder",
      LadderTermsOnly,
      { body: NewLadder },
      201,
    ),
    creating("ladder", "The ladder is open.", ({ identity, body }, key) =>
      ladders.create(identity!, body, key),
    ),
  );

  app.get(
    "/api/v1/ladders",
    route({ access: "public" }, "listLadders", LadderList, {
      querystring: LadderListQuery,
    }),
    saying("Ladders, newest first.", ({ query }) => ladders.list(roomPageOf(query))),
  );

  app.get(
    "/api/v1/ladders/:id",
    route({ access: "public", isPersonal: true }, "getLadder", LadderAtVersion, {
      params,
    }),
    saying("The ladder.", ({ identity, params }) => ladders.get(identity, params.id)),
  );

  app.patch(
    "/api/v1/ladders/:id",
    keyedRoute({ access: anyRole }, "changeLadder", LadderTermsOnly, {
      params,
      body: LadderChanges,
    }),
    saying("The ladder was changed.", ({ identity, params, body }, key) =>
      ladders.change(identity!, params.id, body, key),
    ),
  );

  app.post(
    "/api/v1/ladders/:id/end",
    keyedRoute(begun, "endLadder", LadderTermsOnly, { params }),
    saying("The ladder has ended.", ({ identity, params }, key) => ladders.end(identity!, params.id, key)),
  );
}
