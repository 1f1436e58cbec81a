import {
  type ConversationNumber,
  type Directory,
  groupsBefore,
  ladderNotFound,
  type Refusal,
} from "@openseat/kernel";
import { ChatGroupLink, ChatGroupList, ChatGroupOnly, Cursor, Limit } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { TheDirectory } from "../../../app/directory.ts";
import type { LadderStreams } from "../../../app/ladders/ladders.ts";
import { type Answer, answering, failure, success } from "../envelope.ts";
import { Keyed, keyOf, pageOf, schema } from "../schemas.ts";

const params = Type.Object({
  number: Type.String({ pattern: "^[1-9][0-9]{0,14}$", description: "The number of a group." }),
});
const querystring = Type.Object(
  { cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) },
  { additionalProperties: false },
);

/** Which ladder a group's chat is about, for operators. */
export function groupRoutes(app: FastifyInstance, directory: TheDirectory, ladders: LadderStreams): void {
  app.get<{ Querystring: { cursor?: string; limit: number } }>(
    "/api/v1/chat/groups",
    {
      config: { access: ["operator"] },
      schema: schema("List the groups that chat, the newest first", { querystring }, 200, ChatGroupList),
    },
    answering((request) => list(directory, pageOf(request.query))),
  );

  app.put<{ Params: { number: string }; Body: ChatGroupLink }>(
    "/api/v1/chat/groups/:number",
    {
      config: { access: ["operator"] },
      schema: schema(
        "Say which ladder a group has",
        { params, headers: Keyed, body: ChatGroupLink },
        200,
        ChatGroupOnly,
      ),
    },
    answering(async (request) => {
      const { ladder } = request.body;
      const found = await ladders.read(ladder, (state) => state !== undefined);
      if ("refusal" in found) return failure(found.refusal);
      if (!found.value) return failure(ladderNotFound);
      const conversation = Number(request.params.number) as ConversationNumber;
      const command = { type: "link", conversation, ladder } as const;
      const outcome = await directory.ask(command, request.identity!.by, keyOf(request));
      if ("refusal" in outcome) return failure(outcome.refusal);
      const group = { ...groupView(outcome.state, conversation), ladder };
      return success(200, "The group has this ladder now.", { group }, outcome.replayed);
    }),
  );
}

async function list(
  directory: TheDirectory,
  { cursor = Number.POSITIVE_INFINITY, limit }: { cursor: number | undefined; limit: number },
): Promise<Answer> {
  const found: { value: Answer } | { refusal: Refusal } = await directory.read((known) => {
    const page = groupsBefore(known, cursor, limit + 1);
    const groups = page.slice(0, limit).map(([number]) => groupView(known!, number));
    const nextCursor = page.length > limit ? groups[groups.length - 1].number : null;
    return success(200, "Groups, the newest first.", { groups, nextCursor });
  });
  return "refusal" in found ? failure(found.refusal) : found.value;
}

function groupView({ conversations }: Directory, number: ConversationNumber) {
  const known = conversations.get(number);
  const { channel = "", title = "", ladder = null } = known ?? {};
  return { number: String(number), channel, title: title ?? "", ladder };
}
