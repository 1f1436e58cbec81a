import type { PersonId } from "@openseat/kernel";
import { NewNickname, PersonOnly, UserId } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { personOf } from "../../../app/identity.ts";
import type { People } from "../../../app/people/people.ts";
import { mapped } from "../../../app/result.ts";
import { answering, answerOf, saying } from "../envelope.ts";
import { keyedRoute, route } from "../schemas.ts";

const params = Type.Object({
  nickname: Type.String({ minLength: 1, maxLength: 100, description: "In any case." }),
});

export function peopleRoutes(app: FastifyInstance, people: People): void {
  const forPersons = { access: ["person"] } as const;
  app.get(
    "/api/v1/people/me",
    route(forPersons, "getMe", PersonOnly),
    saying("You.", ({ identity }) => people.me(identity!)),
  );

  app.put(
    "/api/v1/people/me/nickname",
    keyedRoute(forPersons, "setNickname", PersonOnly, { body: NewNickname }),
    answering(async ({ identity, body, address }, key) => {
      const taken = await people.takeName(identity!, body.nickname, address, key);
      const isOld = "value" in taken && taken.value.wasTheirs;
      return answerOf(
        mapped(taken, ({ person }) => ({ person })),
        200,
        ({ person: { nickname } }) => (isOld ? `You are already ${nickname}.` : `You are ${nickname} now.`),
      );
    }),
  );

  app.post(
    "/api/v1/people/me/quit",
    keyedRoute({ ...forPersons, isBegun: true }, "quit", PersonOnly),
    saying(
      "You have left. Your nickname is free again and your open duels are cancelled.",
      ({ identity }, key) => people.quit(identity!, personOf(identity!), key),
    ),
  );

  app.post(
    "/api/v1/people/:userId/forget",
    keyedRoute({ access: ["operator"] }, "forgetPerson", PersonOnly, {
      params: Type.Object({ userId: UserId }),
    }),
    saying(
      "The person was forgotten. Their nickname is free again and their open duels are cancelled.",
      ({ identity, params }, key) => people.quit(identity!, params.userId as PersonId, key),
    ),
  );

  // The second address is the former one. It is not documented: beside `people/{userId}/forget` its form is ambiguous.
  for (const [path, hide] of [
    ["/api/v1/nicknames/:nickname", false],
    ["/api/v1/people/called/:nickname", true],
  ] as const) {
    const options = route({ access: "public" }, "findByNickname", PersonOnly, { params });
    app.get(
      path,
      { ...options, schema: { ...options.schema, hide } },
      saying("The person with this nickname.", ({ params }) => people.called(params.nickname)),
    );
  }
}
