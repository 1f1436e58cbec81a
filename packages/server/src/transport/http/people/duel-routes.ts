import type { DuelNumber } from "@openseat/kernel";
import { DuelList, DuelOnly, NewDuel, NewThrow } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Duels } from "../../../app/people/duels.ts";
import { saying } from "../envelope.ts";
import { KeyRequired, keyedRoute, route, schema } from "../schemas.ts";

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
      schema: schema("challenge", { headers: KeyRequired, body: NewDuel }, 200, DuelOnly),
    },
    saying(textOf, ({ identity, body, address }, key) => duels.challenge(identity!, body, address, key)),
  );

  app.get(
    "/api/v1/duels",
    route({ access }, "listDuels", DuelList),
    saying("Your duels.", ({ identity }) => duels.list(identity!)),
  );

  app.get(
    "/api/v1/duels/:id",
    route({ access }, "getDuel", DuelOnly, { params }),
    saying("The duel.", ({ identity, params }) => duels.get(identity!, numberOf(params))),
  );

  app.post(
    "/api/v1/duels/:id/throw",
    keyedRoute(begun, "throwInDuel", DuelOnly, { params, body: NewThrow }),
    saying(textOf, ({ identity, params, body }, key) => duels.throw(identity!, numberOf(params), body, key)),
  );

  app.post(
    "/api/v1/duels/:id/drop",
    keyedRoute(begun, "dropDuel", DuelOnly, { params }),
    saying(textOf, ({ identity, params }, key) => duels.drop(identity!, numberOf(params), key)),
  );
}

function numberOf({ id }: { readonly id: string }): DuelNumber {
  return Number(id) as DuelNumber;
}

function textOf({ duel }: DuelOnly): string {
  const { status, opponent, yourThrow, opponentThrow, result } = duel;
  if (status === "DROPPED") return "The duel was cancelled.";
  if (status === "OPEN")
    return yourThrow === null
      ? `You have challenged ${opponent}.`
      : `You threw. Waiting for ${opponent} to throw.`;
  const ends = { won: "you win", lost: `${opponent} wins`, draw: "a draw" };
  return `You threw ${yourThrow}, ${opponent} threw ${opponentThrow}: ${ends[result!]}.`;
}
