import type { ConversationNumber } from "@openseat/kernel";
import { ChatGroupLink, ChatGroupList, ChatGroupOnly, Cursor, Limit } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Groups } from "../../../app/chat/groups.ts";
import { saying } from "../envelope.ts";
import { keyedRoute, pageOf, route } from "../schemas.ts";

const params = Type.Object({
  number: Type.String({ pattern: "^[1-9][0-9]{0,14}$", description: "The number of a group." }),
});
const querystring = Type.Object(
  { cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) },
  { additionalProperties: false },
);

const forOperators = { access: ["operator"] } as const;

export function groupRoutes(app: FastifyInstance, groups: Groups): void {
  app.get(
    "/api/v1/chat/groups",
    route(forOperators, "listChatGroups", ChatGroupList, {
      querystring,
    }),
    saying("Groups, newest first.", ({ query }) => {
      const { cursor: before, limit } = pageOf(query);
      return groups.list({ before, limit });
    }),
  );

  app.put(
    "/api/v1/chat/groups/:number",
    keyedRoute(forOperators, "linkChatGroup", ChatGroupOnly, { params, body: ChatGroupLink }),
    saying("The group now uses this ladder.", ({ identity, params, body }, key) =>
      groups.link(identity!, Number(params.number) as ConversationNumber, body.ladder, key),
    ),
  );
}
