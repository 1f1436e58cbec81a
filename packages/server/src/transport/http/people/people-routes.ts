import type { PersonId } from "@openseat/kernel";
import { NewNickname, PersonOnly, UserId } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { personOf } from "../../../app/identity.ts";
import type { People } from "../../../app/people/people.ts";
import { mapped } from "../../../app/result.ts";
import { answering, answerOf } from "../envelope.ts";
import { keyed, keyOf, schema } from "../schemas.ts";

const params = Type.Object({
  nickname: Type.String({ minLength: 1, maxLength: 100, description: "In any case." }),
});

export function peopleRoutes(app: FastifyInstance, people: People): void {
  ownRoutes(app, people);

  app.post<{ Params: { userId: string } }>(
    "/api/v1/people/:userId/forget",
    {
      config: { access: ["operator"] },
      schema: keyed("Forget somebody, as they would by `quit`", PersonOnly, {
        params: Type.Object({ userId: UserId }),
      }),
    },
    answering(async (request) => {
      const person = request.params.userId as PersonId;
      const forgotten = await people.quit(request.identity!, person, keyOf(request));
      return answerOf(forgotten, 200, "They are forgotten: their nickname is free, and open duels are off.");
    }),
  );

  app.get<{ Params: { nickname: string } }>(
    "/api/v1/people/called/:nickname",
    {
      config: { access: "public" },
      schema: schema("Find somebody by nickname", { params }, 200, PersonOnly),
    },
    answering(async (request) =>
      answerOf(await people.called(request.params.nickname), 200, "The person of this name."),
    ),
  );
}

/** What people ask about themselves. */
function ownRoutes(app: FastifyInstance, people: People): void {
  app.get(
    "/api/v1/people/me",
    {
      config: { access: ["person"] },
      schema: schema("Who you are, and what you are called", {}, 200, PersonOnly),
    },
    answering(async (request) => answerOf(await people.me(request.identity!), 200, "You.")),
  );

  app.put<{ Body: NewNickname }>(
    "/api/v1/people/me/nickname",
    {
      config: { access: ["person"] },
      schema: keyed("Take a nickname", PersonOnly, { body: NewNickname }),
    },
    answering(async (request) => {
      const { body, address } = request;
      const taken = await people.takeName(request.identity!, body.nickname, address, keyOf(request));
      const isOld = "value" in taken && taken.value.wasTheirs;
      return answerOf(
        mapped(taken, ({ person }) => ({ person })),
        200,
        ({ person: { nickname } }) => (isOld ? `You are ${nickname} already.` : `You are ${nickname} now.`),
      );
    }),
  );

  app.post(
    "/api/v1/people/me/quit",
    {
      config: { access: ["person"], isBegun: true },
      schema: keyed("Be forgotten: the nickname is freed, open duels are dropped", PersonOnly),
    },
    answering(async (request) => {
      const identity = request.identity!;
      const quit = await people.quit(identity, personOf(identity), keyOf(request));
      return answerOf(quit, 200, "You are forgotten: your nickname is free, and open duels are off.");
    }),
  );
}
