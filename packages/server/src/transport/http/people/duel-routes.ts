import type { DuelNumber } from "@openseat/kernel";
import { DuelList, DuelOnly, NewDuel, NewThrow } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Duels } from "../../../app/people/duels.ts";
import { saying } from "../envelope.ts";
import { about, KeyRequired, keyedRoute, route, schema } from "../schemas.ts";

const params = Type.Object({
  id: Type.String({ pattern: "^[1-9][0-9]{0,14}$", description: "The number of a duel." }),
});
const access = ["person"] as const;

export function duelRoutes(app: FastifyInstance, duels: Duels): void {
  const begun = { access, isBegun: true } as const;
  app.post<{ Body: NewDuel }>(
    "/api/v1/duels",
    {
      config: { access },
      schema: schema(
        about(
          "challenge",
          "Challenge a person, or throw in the open duel between you",
          "ladder.not-found",
          "ladder.no-duels",
          "nickname.missing",
          "nickname.unknown",
          "duel.self",
          "duel.exists",
          "duel.thrown",
          "duel.too-many",
        ),
        { headers: KeyRequired, body: NewDuel },
        200,
        DuelOnly,
      ),
    },
    saying(textOf, ({ identity, body, address }, key) => duels.challenge(identity!, body, address, key)),
  );

  app.get(
    "/api/v1/duels",
    route({ access }, about("listDuels", "List your duels"), DuelList),
    saying("Your duels.", ({ identity }) => duels.list(identity!)),
  );

  app.get(
    "/api/v1/duels/:id",
    route({ access }, about("getDuel", "Get a duel of yours", "duel.not-found"), DuelOnly, { params }),
    saying("The duel.", ({ identity, params }) => duels.get(identity!, numberOf(params))),
  );

  app.post(
    "/api/v1/duels/:id/throw",
    keyedRoute(
      begun,
      about(
        "throwInDuel",
        "Throw",
        "duel.not-found",
        "duel.over",
        "duel.thrown",
        "ladder.not-found",
        "ladder.no-duels",
        "nickname.missing",
      ),
      DuelOnly,
      { params, body: NewThrow },
    ),
    saying(textOf, ({ identity, params, body }, key) => duels.throw(identity!, numberOf(params), body, key)),
  );

  app.post(
    "/api/v1/duels/:id/drop",
    keyedRoute(
      begun,
      about(
        "dropDuel",
        "Withdraw a challenge, or decline one",
        "duel.not-found",
        "duel.over",
        "nickname.missing",
      ),
      DuelOnly,
      { params },
    ),
    saying(textOf, ({ identity, params }, key) => duels.drop(identity!, numberOf(params), key)),
  );
}

function numberOf({ id }: { readonly id: string }): DuelNumber {
  return Number(id) as DuelNumber;
}

function textOf({ duel }: DuelOnly): string {
  const { status, opponent, yourThrow, opponentThrow, result } = duel;
  if (status === "DROPPED") return "The duel is off.";
  if (status === "OPEN")
    return yourThrow === null
      ? `${opponent} is challenged.`
      : `You threw. It is for ${opponent} to throw now.`;
  const ends = { won: "you win", lost: `${opponent} wins`, draw: "a draw" };
  return `You threw ${yourThrow}, ${opponent} threw ${opponentThrow}: ${ends[result!]}.`;
}
