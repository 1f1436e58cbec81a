import type { MatchNumber, MatchStatus } from "@openseat/kernel";
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
import Type, { type TSchema } from "typebox";
import type { Role } from "../../../app/identity.ts";
import type { LadderBook } from "../../../app/ladders/ladder-book.ts";
import type { Ladders } from "../../../app/ladders/ladders.ts";
import { anyRole } from "../../auth/access.ts";
import { voidCost } from "../../limits/charge-more.ts";
import { type Answer, answering, answerOf, saying } from "../envelope.ts";
import { type FastRoutes, fastRoute } from "../fast-path/fast-route.ts";
import { keyed, keyOf, pageOf, schema } from "../schemas.ts";

const params = Type.Object({ id: Id });
const matchParams = Type.Object({
  id: Id,
  match: Type.String({ pattern: "^[1-9][0-9]{0,9}$", description: "The number of a match." }),
});
type WithId = { Params: { id: string } };
type WithMatch = { Params: { id: string; match: string } };

interface MatchQuery {
  readonly player?: string;
  readonly opponent?: string;
  readonly status?: MatchStatus;
  readonly cursor?: string;
  readonly limit: number;
}

interface MatchRouteDeps {
  readonly ladders: Ladders;
  readonly book: LadderBook;
  readonly onRequest: onRequestHookHandler;
}

/** `onRequest` limits what is read from rows. */
export function matchRoutes(
  app: FastifyInstance,
  fastPath: FastRoutes,
  { ladders, book, onRequest }: MatchRouteDeps,
): void {
  fastRoute<NewLadderMatch>(app, fastPath, {
    method: "POST",
    url: "/api/v1/ladders/:id/matches",
    access: anyRole,
    schema: keyed("Report a match", LadderMatchMade, { params, body: NewLadderMatch }),
    handle: async ({ identity, id, key, body, address }) =>
      answerOf(await ladders.report(identity, id, body, { address, key }), 200, madeText),
  });

  app.get<WithId & { Querystring: MatchQuery }>(
    "/api/v1/ladders/:id/matches",
    {
      onRequest,
      config: { access: "public" },
      schema: schema(
        "List matches, the newest first",
        { params, querystring: LadderMatchQuery },
        200,
        LadderMatchList,
      ),
    },
    answering(async ({ params: { id }, query }) => {
      const { cursor, limit } = pageOf(query);
      const { player, opponent, status } = query;
      const page = await book.matches(id, { player, opponent, status, beyond: cursor, limit });
      const what = status === "pending" ? "Matches that wait to be confirmed" : "Matches";
      return answerOf(page, 200, `${what}, the newest first.`);
    }),
  );

  app.get<WithMatch>(
    "/api/v1/ladders/:id/matches/:match",
    {
      config: { access: "public" },
      schema: schema("Look at a match", { params: matchParams }, 200, LadderMatchOnly),
    },
    saying("The match.", ({ params: { id, match } }) => book.match(id, Number(match) as MatchNumber)),
  );

  settleRoutes(app, ladders);
}

function settleRoutes(app: FastifyInstance, ladders: Ladders): void {
  const ways: readonly Settling[] = [
    {
      verb: "confirm",
      access: ["person"],
      summary: "Confirm a match that your opponent reported",
      data: LadderMatchMade,
      settle: async (...ask) => answerOf(await ladders.confirm(...ask), 200, madeText),
    },
    {
      verb: "decline",
      access: ["person"],
      summary: "Decline a match that your opponent reported",
      data: LadderMatchSettled,
      settle: async (...ask) =>
        answerOf(await ladders.decline(...ask), 200, "The match is declined: it does not count."),
    },
    {
      verb: "void",
      access: anyRole,
      cost: voidCost,
      summary: "Take back a match you reported (or any, as the maker of the ladder or an operator)",
      data: LadderMatchSettled,
      settle: async (...ask) =>
        answerOf(await ladders.void(...ask), 200, "The match is void, as if it had never been."),
    },
  ];
  for (const { verb, access, cost, summary, data, settle } of ways)
    app.post<WithMatch>(
      `/api/v1/ladders/:id/matches/:match/${verb}`,
      {
        config: { access, isBegun: true, ...(cost !== undefined && { cost }) },
        schema: keyed(summary, data, { params: matchParams }),
      },
      answering((request) => {
        const { id, match } = request.params;
        return settle(request.identity!, id, Number(match) as MatchNumber, keyOf(request));
      }),
    );
}

interface Settling {
  readonly verb: string;
  readonly access: readonly Role[];
  readonly cost?: number;
  readonly summary: string;
  readonly data: TSchema;
  readonly settle: (...ask: Parameters<Ladders["void"]>) => Promise<Answer>;
}

function madeText({ match: { status, dispute } }: LadderMatchMade): string {
  if (status === "counted") return "The match counts.";
  return dispute === null
    ? "The match waits for the opponent to confirm it."
    : `Your opponent has reported another score, in match ${dispute}. Confirm that one, or wait for them to confirm yours.`;
}
