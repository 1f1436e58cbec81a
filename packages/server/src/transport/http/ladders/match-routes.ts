import type { MatchNumber } from "@openseat/kernel";
import {
  Id,
  LadderMatchList,
  LadderMatchMade,
  LadderMatchOnly,
  LadderMatchQuery,
  LadderMatchSettled,
  NewLadderMatch,
} from "@openseat/protocol";
import type { FastifyInstance, onRequestHookHandler } from "fastify";
import Type from "typebox";
import type { LadderBook } from "../../../app/ladders/ladder-book.ts";
import type { Ladders } from "../../../app/ladders/ladders.ts";
import { anyRole } from "../../auth/access.ts";
import { voidCost } from "../../limits/charge-more.ts";
import { answering, answerOf, saying } from "../envelope.ts";
import { type FastRoutes, fastRoute } from "../fast-path/fast-route.ts";
import { keyed, keyedRoute, pageOf, idParams as params, route } from "../schemas.ts";

const matchParams = Type.Object({
  id: Id,
  match: Type.String({ pattern: "^[1-9][0-9]{0,9}$", description: "The number of a match." }),
});

/** `onRequest` limits the requests that read rows. */
export function matchRoutes(
  app: FastifyInstance,
  fastPath: FastRoutes,
  ladders: Ladders,
  book: LadderBook,
  onRequest: onRequestHookHandler,
): void {
  fastRoute<NewLadderMatch>(app, fastPath, {
    method: "POST",
    url: "/api/v1/ladders/:id/matches",
    access: anyRole,
    schema: keyed("reportMatch", LadderMatchMade, { params, body: NewLadderMatch }),
    handle: async ({ identity, id, key, body, address }) =>
      answerOf(await ladders.report(identity, id, body, { address, key }), 200, madeText),
  });

  app.get(
    "/api/v1/ladders/:id/matches",
    {
      ...route({ access: "public" }, "listLadderMatches", LadderMatchList, {
        params,
        querystring: LadderMatchQuery,
      }),
      onRequest,
    },
    answering(async ({ params: { id }, query: { player, opponent, status, ...query } }) => {
      const { cursor: beyond, limit } = pageOf(query);
      const page = await book.matches(id, { player, opponent, status, beyond, limit });
      const what = status === "pending" ? "Unconfirmed matches" : "Matches";
      return answerOf(page, 200, `${what}, newest first.`);
    }),
  );

  app.get(
    "/api/v1/ladders/:id/matches/:match",
    route({ access: "public" }, "getLadderMatch", LadderMatchOnly, { params: matchParams }),
    saying("The match.", ({ params: { id, match } }) => book.match(id, Number(match) as MatchNumber)),
  );

  settleRoutes(app, ladders);
}

function settleRoutes(app: FastifyInstance, ladders: Ladders): void {
  const asOpponent = { access: ["person"], isBegun: true } as const;
  const takes = { params: matchParams };
  app.post(
    "/api/v1/ladders/:id/matches/:match/confirm",
    keyedRoute(asOpponent, "confirmMatch", LadderMatchMade, takes),
    saying(madeText, ({ identity, params: { id, match } }, key) =>
      ladders.confirm(identity!, id, Number(match) as MatchNumber, key),
    ),
  );

  app.post(
    "/api/v1/ladders/:id/matches/:match/decline",
    keyedRoute(asOpponent, "declineMatch", LadderMatchSettled, takes),
    saying("The match is declined: it does not count.", ({ identity, params: { id, match } }, key) =>
      ladders.decline(identity!, id, Number(match) as MatchNumber, key),
    ),
  );

  app.post(
    "/api/v1/ladders/:id/matches/:match/void",
    keyedRoute({ access: anyRole, isBegun: true, cost: voidCost }, "voidMatch", LadderMatchSettled, takes),
    saying("The match is void and no longer counts.", ({ identity, params: { id, match } }, key) =>
      ladders.void(identity!, id, Number(match) as MatchNumber, key),
    ),
  );
}

function madeText({ match: { status, dispute } }: LadderMatchMade): string {
  if (status === "counted") return "The match counts.";
  return dispute === null
    ? "The match counts once your opponent confirms it."
    : `Your opponent has reported a different score, in match ${dispute}. Confirm that one, or wait for them to confirm yours.`;
}
