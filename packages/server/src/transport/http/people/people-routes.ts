import type { PersonId } from "@openseat/kernel";
import { NewNickname, PersonOnly, UserId } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { personOf } from "../../../app/identity.ts";
import type { People } from "../../../app/people/people.ts";
import { answering } from "../envelope.ts";
import { Keyed, keyOf, NoBody, schema } from "../schemas.ts";

const params = Type.Object({
  nickname: Type.String({ minLength: 1, maxLength: 100, description: "In any case." }),
});

export function peopleRoutes(app: FastifyInstance, people: People): void {
  app.get(
    "/api/v1/people/me",
    {
      config: { access: ["person"] },
      schema: schema("Who you are, and what you are called", {}, 200, PersonOnly),
    },
    answering((request) => people.me(request.identity!)),
  );

  app.put<{ Body: NewNickname }>(
    "/api/v1/people/me/nickname",
    {
      config: { access: ["person"] },
      schema: schema("Take a nickname", { headers: Keyed, body: NewNickname }, 200, PersonOnly),
    },
    answering((request) =>
      people.takeName(request.identity!, request.body.nickname, request.address, keyOf(request)),
    ),
  );

  app.post(
    "/api/v1/people/me/quit",
    {
      config: { access: ["person"], isBegun: true },
      schema: schema(
        "Be forgotten: the nickname is freed, open duels are dropped",
        { headers: Keyed, body: NoBody },
        200,
        PersonOnly,
      ),
    },
    answering((request) => {
      const identity = request.identity!;
      return people.quit(identity, personOf(identity), keyOf(request));
    }),
  );

  app.post<{ Params: { userId: string } }>(
    "/api/v1/people/:userId/forget",
    {
      config: { access: ["operator"] },
      schema: schema(
        "Forget somebody, as they would by `quit`",
        { params: Type.Object({ userId: UserId }), headers: Keyed, body: NoBody },
        200,
        PersonOnly,
      ),
    },
    answering((request) => people.quit(request.identity!, request.params.userId as PersonId, keyOf(request))),
  );

  app.get<{ Params: { nickname: string } }>(
    "/api/v1/people/called/:nickname",
    {
      config: { access: "public" },
      schema: schema("Find somebody by nickname", { params }, 200, PersonOnly),
    },
    answering((request) => people.called(request.params.nickname)),
  );
}
