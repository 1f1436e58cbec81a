import {
  type ChatReplies,
  ChatReplies as ChatRepliesSchema,
  ChatReply,
  Conversation,
  NewChatBatch,
  NewChatMessage,
  UserId,
} from "@openseat/protocol";
import type { FastifyInstance, FastifySchemaCompiler } from "fastify";
import Type from "typebox";
import type { Conversations } from "../../../app/chat/conversations.ts";
import type { WebChat } from "../../../app/chat/web-chat.ts";
import { invalidInput } from "../../../app/invalid-input.ts";
import { chargeMore, costOfMessage } from "../../limits/charge-more.ts";
import type { WriteBudgets } from "../../limits/write-budgets.ts";
import { answering, answerOf, failure, saying } from "../envelope.ts";
import { keyedRoute, route } from "../schemas.ts";
import { compileSchema } from "../validation.ts";

const Body = Type.Union([NewChatMessage, NewChatBatch]);
type Body = NewChatMessage | NewChatBatch;
const access = ["person", "service"] as const;

/** A validator of the union could name a field of the wrong branch. */
const compileEither: FastifySchemaCompiler<object> = (route) => {
  if (route.httpPart !== "body") return compileSchema(route);
  const one = compileSchema({ ...route, schema: NewChatMessage });
  const several = compileSchema({ ...route, schema: NewChatBatch });
  return (body) => (isBatch(body) ? several(body) : one(body));
};

function isBatch(body: unknown): body is NewChatBatch {
  return typeof body === "object" && body !== null && "messages" in body;
}

function costOf(body: Body): number {
  return isBatch(body)
    ? body.messages.reduce((sum, { text }) => sum + costOfMessage(text), 0)
    : costOfMessage(body.text);
}

/** CH3, CH6: the chat for browsers and programs. */
export function chatRoutes(
  app: FastifyInstance,
  webChat: WebChat,
  conversations: Conversations,
  budgets: WriteBudgets,
): void {
  app.post(
    "/api/v1/chat/messages",
    {
      ...keyedRoute({ access }, "sendMessages", Type.Union([ChatReply, ChatRepliesSchema]), { body: Body }),
      validatorCompiler: compileEither,
      preHandler: chargeMore<Body>(budgets, (body) => costOf(body) - 1),
    },
    answering(async ({ identity, body, address }, key) => {
      if (isBatch(body))
        return answerOf(await webChat.sayAll(identity!, body.messages, address), 200, batchText);
      const messageId = body.messageId ?? key;
      if (messageId === undefined) return failure(withoutId);
      return answerOf(await webChat.say(identity!, { ...body, messageId }, address), 200, "Received.");
    }),
  );

  app.get(
    "/api/v1/conversations/:id",
    route({ access }, "getConversation", Conversation, {
      params: Type.Object({ id: UserId }),
    }),
    saying("The conversation.", ({ identity, params }) => conversations.get(identity!, params.id)),
  );
}

/** CH1, ID5: without an id, a repeat would count as another message and could open another duel. */
const withoutId = invalidInput("body", "messageId", "is required without an Idempotency-Key");

function batchText({ failures }: ChatReplies): string {
  if (failures.length === 0) return "All messages were received.";
  return failures.some(({ retryable }) => retryable)
    ? "Some messages were not received. Send those again."
    : "Some messages were refused. Sending them again will not help.";
}
