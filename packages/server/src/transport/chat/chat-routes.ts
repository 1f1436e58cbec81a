import { randomUUID } from "node:crypto";
import type { PersonId, Refusal } from "@openseat/kernel";
import {
  type ChatReplies,
  ChatReplies as ChatRepliesSchema,
  ChatReply,
  Conversation,
  Me,
  NewChatBatch,
  NewChatMessage,
  UserId,
} from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { chatPrefix, type Identity } from "../auth/identity.ts";
import { type Answer, answering, failure, success } from "../envelope.ts";
import { Keyed, keyOf, schema } from "../schemas.ts";
import { invalidInput } from "../validation.ts";
import type { Chat } from "./chat.ts";
import type { Conversations } from "./conversations.ts";

const Body = Type.Union([NewChatMessage, NewChatBatch]);
type Body = NewChatMessage | NewChatBatch;
const access = ["person", "service"] as const;

/** CH3, CH6: the chat for browsers and programs. */
export function chatRoutes(app: FastifyInstance, chat: Chat, conversations: Conversations): void {
  app.post<{ Body: Body }>(
    "/api/v1/chat/messages",
    {
      config: { access },
      schema: schema(
        "Say something, or several things; each is answered by itself",
        { headers: Keyed, body: Body },
        200,
        Type.Union([ChatReply, ChatRepliesSchema]),
      ),
    },
    answering((request) => {
      const { body } = request;
      const identity = request.identity!;
      if ("messages" in body) return hearBatch(chat, identity, body.messages);
      return hearOne(chat, identity, {
        ...body,
        messageId: body.messageId ?? keyOf(request) ?? randomUUID(),
      });
    }),
  );

  app.get<{ Params: { id: string } }>(
    "/api/v1/conversations/:id",
    {
      config: { access },
      schema: schema(
        "What you have said and were told (as a service: what anybody has)",
        { params: Type.Object({ id: Type.Union([Me, UserId]) }) },
        200,
        Conversation,
      ),
    },
    answering(async (request) => {
      const { role, by } = request.identity!;
      const { id } = request.params;
      if (role === "service" && id !== "me") return conversations.get(id as PersonId);
      return role === "person" && (id === "me" || id === by)
        ? conversations.get(by as PersonId)
        : failure(notTheirs);
    }),
  );
}

interface Said {
  readonly messageId: string;
  readonly text: string;
  readonly userId?: string;
}

async function hearOne(chat: Chat, identity: Identity, said: Said): Promise<Answer> {
  const speaker = speakerOf(identity, said);
  if ("refusal" in speaker) return failure(speaker.refusal);
  const { messageId, text } = said;
  const heard = await chat.hearPerson(speaker.person, messageId, text);
  if ("refusal" in heard) return failure(heard.refusal);
  return success(200, "Heard.", { messageId, reply: heard.reply });
}

/** CH3: one after the other, for what one person says builds upon what they said before. */
async function hearBatch(chat: Chat, identity: Identity, messages: readonly Said[]): Promise<Answer> {
  for (const message of messages) {
    const speaker = speakerOf(identity, message);
    if ("refusal" in speaker) return failure(speaker.refusal);
  }
  const replies: ChatReplies["replies"] = [];
  const failures: ChatReplies["failures"] = [];
  const bySpeaker = Map.groupBy(messages, ({ userId }) => userId ?? identity.by);
  await Promise.all(
    Array.from(bySpeaker, async ([person, said]) => {
      for (const { messageId, text } of said) {
        const heard = await chat.hearPerson(person as PersonId, messageId, text);
        if ("reply" in heard) replies.push({ messageId, reply: heard.reply });
        else failures.push({ messageId, code: heard.refusal.code, message: heard.refusal.message });
      }
    }),
  );
  const batchItemFailures = failures.map(({ messageId }) => ({ itemIdentifier: messageId }));
  const message = failures.length === 0 ? "All were heard." : "Some were not heard: send those again.";
  return success(200, message, { replies, batchItemFailures, failures });
}

function speakerOf(
  { role, by }: Identity,
  { userId }: Pick<Said, "userId">,
): { readonly person: PersonId } | { readonly refusal: Refusal } {
  if (role === "person") {
    if (userId !== undefined && userId !== by) return { refusal: notTheirs };
    return { person: by as PersonId };
  }
  if (userId === undefined) return { refusal: invalidInput("body", "userId", "is missing") };
  // Whoever is known by an address on a channel speaks there: said here, they would be answered where they never look.
  if (userId.startsWith(chatPrefix))
    return { refusal: invalidInput("body", "userId", "must not be that of somebody on another channel") };
  return { person: userId as PersonId };
}

const notTheirs: Refusal = {
  code: "auth.forbidden",
  message: "A person speaks, and reads, for themselves alone.",
};
