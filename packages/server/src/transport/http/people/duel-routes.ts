import type { DuelNumber } from "@openseat/kernel";
import { DuelList, DuelOnly, NewDuel, NewThrow } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Duels } from "../../../app/people/duels.ts";
import { answering } from "../envelope.ts";
import { Keyed, KeyRequired, keyOf, NoBody, schema } from "../schemas.ts";

const params = Type.Object({
  id: Type.String({ pattern: "^[1-9][0-9]{0,14}$", description: "The number of a duel." }),
});
type WithId = { Params: { id: string } };
const access = ["person"] as const;

export function duelRoutes(app: FastifyInstance, duels: Duels): void {
  app.post<{ Body: NewDuel }>(
    "/api/v1/duels",
    {
      config: { access },
      schema: schema(
        "Challenge somebody, or throw in the duel that there is between you",
        { headers: KeyRequired, body: NewDuel },
        200,
        DuelOnly,
      ),
    },
    answering((request) => duels.challenge(request.identity!, request.body, request.address, keyOf(request))),
  );

  app.get(
    "/api/v1/duels",
    { config: { access }, schema: schema("Your duels", {}, 200, DuelList) },
    answering((request) => duels.list(request.identity!)),
  );

  app.get<WithId>(
    "/api/v1/duels/:id",
    { config: { access }, schema: schema("Look at a duel of yours", { params }, 200, DuelOnly) },
    answering((request) => duels.get(request.identity!, numberOf(request.params))),
  );

  app.post<WithId & { Body: NewThrow }>(
    "/api/v1/duels/:id/throw",
    {
      config: { access, isBegun: true },
      schema: schema("Throw", { params, headers: Keyed, body: NewThrow }, 200, DuelOnly),
    },
    answering((request) =>
      duels.throw(request.identity!, numberOf(request.params), request.body, keyOf(request)),
    ),
  );

  app.post<WithId>(
    "/api/v1/duels/:id/drop",
    {
      config: { access, isBegun: true },
      schema: schema(
        "Withdraw a challenge, or decline one",
        { params, headers: Keyed, body: NoBody },
        200,
        DuelOnly,
      ),
    },
    answering((request) => duels.drop(request.identity!, numberOf(request.params), keyOf(request))),
  );
}

function numberOf({ id }: { readonly id: string }): DuelNumber {
  return Number(id) as DuelNumber;
}
