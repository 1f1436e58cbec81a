import type { PersonId, Refusal } from "@openseat/kernel";
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
import type { Heard } from "../../../app/chat/channel.ts";
import type { Chat } from "../../../app/chat/chat.ts";
import type { Conversations } from "../../../app/chat/conversations.ts";
import { chatPrefix, type Identity } from "../../../app/identity.ts";
import { invalidInput } from "../../../app/invalid-input.ts";
import type { NetworkHashes } from "../../../app/network-hashes.ts";
import { chargeMore, costOfMessage } from "../../limits/charge-more.ts";
import type { WriteBudgets } from "../../limits/write-budgets.ts";
import { type Answer, answering, failure, success } from "../envelope.ts";
import { Keyed, keyOf, schema } from "../schemas.ts";
import { compileSchema } from "../validation.ts";

const Body = Type.Union([NewChatMessage, NewChatBatch]);
type Body = NewChatMessage | NewChatBatch;
const access = ["person", "service"] as const;

/** By what it has: of the two, a validator could only guess which was meant, and name a field of the other. */
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

interface ChatRouteDeps {
  readonly chat: Chat;
  readonly conversations: Conversations;
  readonly networks: NetworkHashes;
}

/** CH3, CH6: the chat for browsers and programs. */
export function chatRoutes(
  app: FastifyInstance,
  { chat, conversations, networks }: ChatRouteDeps,
  budgets: WriteBudgets,
): void {
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
      validatorCompiler: compileEither,
      preHandler: chargeMore<Body>(budgets, (body) => costOf(body) - 1),
    },
    answering(async (request) => {
      const { body } = request;
      const identity = request.identity!;
      const network = networks.of(request.address);
      if (isBatch(body)) return hearBatch(chat, identity, body.messages, network);
      const messageId = body.messageId ?? keyOf(request);
      if (messageId === undefined) return failure(withoutId);
      return hearOne(chat, identity, network, { ...body, messageId });
    }),
  );

  app.get<{ Params: { id: string } }>(
    "/api/v1/conversations/:id",
    {
      config: { access },
      schema: schema(
        "What you have said and were told (as a service: what anybody has)",
        { params: Type.Object({ id: UserId }) },
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

/** CH1, ID5: repeated, it would be another message, and could open another duel. */
const withoutId = invalidInput("body", "messageId", "is missing, and there is no Idempotency-Key either");

interface Said {
  readonly messageId: string;
  readonly text: string;
  readonly userId?: string;
}

async function hearOne(chat: Chat, identity: Identity, network: string, said: Said): Promise<Answer> {
  const speaker = speakerOf(identity, said);
  if ("refusal" in speaker) return failure(speaker.refusal);
  const { messageId, text } = said;
  const heard = await chat.hearPerson(speaker.person, { id: messageId, text, network });
  if ("refusal" in heard) return failure(heard.refusal);
  return success(200, "Heard.", { messageId, reply: heard.reply }, heard.replayed);
}

/** CH3: one after the other, for what one person says builds upon what they said before. */
async function hearBatch(
  chat: Chat,
  identity: Identity,
  messages: readonly Said[],
  network: string,
): Promise<Answer> {
  const heard = new Map<Said, Heard>();
  const good = messages.filter((message) => {
    const speaker = speakerOf(identity, message);
    if ("refusal" in speaker) heard.set(message, speaker);
    return "person" in speaker;
  });
  const bySpeaker = Map.groupBy(good, ({ userId }) => userId ?? identity.by);
  await Promise.all(
    Array.from(bySpeaker, ([person, said]) => {
      const hear = (id: string, text: string) => chat.hearPerson(person as PersonId, { id, text, network });
      return hearAll(hear, said, heard);
    }),
  );
  const replies: ChatReplies["replies"] = [];
  const failures: ChatReplies["failures"] = [];
  // In the order in which they came: two people may have given theirs the same id.
  for (const message of messages) {
    const { messageId } = message;
    const outcome = heard.get(message)!;
    if ("reply" in outcome) replies.push({ messageId, reply: outcome.reply });
    else failures.push(failureOf(messageId, outcome.refusal));
  }
  // CH3: a queue delivers these again. What can never be done would come back until it is a dead letter.
  const batchItemFailures = failures
    .filter(({ retryable }) => retryable)
    .map(({ messageId }) => ({ itemIdentifier: messageId }));
  return success(200, batchWords(failures), { replies, batchItemFailures, failures });
}

type Failure = ChatReplies["failures"][number];

function failureOf(messageId: string, { code, message, retryable }: Refusal): Failure {
  return { messageId, code, message, retryable: retryable === true };
}

function batchWords(failures: readonly Failure[]): string {
  if (failures.length === 0) return "All were heard.";
  return failures.some(({ retryable }) => retryable)
    ? "Some were not heard: send those again."
    : "Some were refused; to send them again would change nothing.";
}

/** What one person said, up to the first that has to come again: heard before it, the next would be misunderstood. */
async function hearAll(
  hear: (id: string, text: string) => Promise<Heard>,
  said: readonly Said[],
  heard: Map<Said, Heard>,
): Promise<void> {
  let refused: Heard | undefined;
  for (const message of said) {
    const outcome = refused ?? (await hear(message.messageId, message.text));
    heard.set(message, outcome);
    if ("refusal" in outcome && outcome.refusal.retryable) refused = outcome;
  }
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
