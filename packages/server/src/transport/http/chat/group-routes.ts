import type { ConversationNumber } from "@openseat/kernel";
import { ChatGroupLink, ChatGroupList, ChatGroupOnly, Cursor, Limit } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Groups } from "../../../app/chat/groups.ts";
import { answering, answerOf } from "../envelope.ts";
import { keyed, keyOf, pageOf, schema } from "../schemas.ts";

const params = Type.Object({
  number: Type.String({ pattern: "^[1-9][0-9]{0,14}$", description: "The number of a group." }),
});
const querystring = Type.Object(
  { cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) },
  { additionalProperties: false },
);

export function groupRoutes(app: FastifyInstance, groups: Groups): void {
  app.get<{ Querystring: { cursor?: string; limit: number } }>(
    "/api/v1/chat/groups",
    {
      config: { access: ["operator"] },
      schema: schema("List the groups that chat, the newest first", { querystring }, 200, ChatGroupList),
    },
    answering(async (request) => {
      const { cursor, limit } = pageOf(request.query);
      return answerOf(await groups.list({ before: cursor, limit }), 200, "Groups, the newest first.");
    }),
  );

  app.put<{ Params: { number: string }; Body: ChatGroupLink }>(
    "/api/v1/chat/groups/:number",
    {
      config: { access: ["operator"] },
      schema: keyed("Say which ladder a group has", ChatGroupOnly, { params, body: ChatGroupLink }),
    },
    answering(async (request) => {
      const group = Number(request.params.number) as ConversationNumber;
      const linked = await groups.link(request.identity!, group, request.body.ladder, keyOf(request));
      return answerOf(linked, 200, "The group has this ladder now.");
    }),
  );
}
