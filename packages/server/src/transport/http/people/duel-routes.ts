import type { DuelNumber } from "@openseat/kernel";
import { type Duel, DuelList, DuelOnly, NewDuel, NewThrow } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Duels } from "../../../app/people/duels.ts";
import type { Result } from "../../../app/result.ts";
import { type Answer, answering, answerOf } from "../envelope.ts";
import { KeyRequired, keyed, keyOf, schema } from "../schemas.ts";

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
    answering(async (request) => {
      const { body, address } = request;
      return madeAnswer(await duels.challenge(request.identity!, body, address, keyOf(request)));
    }),
  );

  app.get(
    "/api/v1/duels",
    { config: { access }, schema: schema("Your duels", {}, 200, DuelList) },
    answering(async (request) => answerOf(await duels.list(request.identity!), 200, "Your duels.")),
  );

  app.get<WithId>(
    "/api/v1/duels/:id",
    { config: { access }, schema: schema("Look at a duel of yours", { params }, 200, DuelOnly) },
    answering(async (request) =>
      answerOf(await duels.get(request.identity!, numberOf(request.params)), 200, "The duel."),
    ),
  );

  app.post<WithId & { Body: NewThrow }>(
    "/api/v1/duels/:id/throw",
    {
      config: { access, isBegun: true },
      schema: keyed("Throw", DuelOnly, { params, body: NewThrow }),
    },
    answering(async (request) => {
      const { params: at, body } = request;
      return madeAnswer(await duels.throw(request.identity!, numberOf(at), body, keyOf(request)));
    }),
  );

  app.post<WithId>(
    "/api/v1/duels/:id/drop",
    {
      config: { access, isBegun: true },
      schema: keyed("Withdraw a challenge, or decline one", DuelOnly, { params }),
    },
    answering(async (request) =>
      madeAnswer(await duels.drop(request.identity!, numberOf(request.params), keyOf(request))),
    ),
  );
}

function numberOf({ id }: { readonly id: string }): DuelNumber {
  return Number(id) as DuelNumber;
}

function madeAnswer(result: Result<DuelOnly>): Answer {
  return answerOf(result, 200, ({ duel }) => wordsFor(duel));
}

function wordsFor({ status, opponent, yourThrow, opponentThrow, result }: Duel): string {
  if (status === "DROPPED") return "The duel is off.";
  if (status === "OPEN")
    return yourThrow === null
      ? `${opponent} is challenged.`
      : `You threw. It is for ${opponent} to throw now.`;
  const ends = { won: "you win", lost: `${opponent} wins`, draw: "a draw" };
  return `You threw ${yourThrow}, ${opponent} threw ${opponentThrow}: ${ends[result!]}.`;
}
