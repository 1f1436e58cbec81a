import Type from "typebox";
import { Id, NextCursor, orNull, strictObject, Time, UserId } from "./common.ts";

export const MessageId = Type.String({
  pattern: "^[\\x21-\\x7e]{1,128}$",
  description: "1 to 128 printable characters without spaces. A message with the same id is a retry.",
});

const text = Type.String({ maxLength: 4_096, description: "The message, such as `throw rock @nick`." });
/** Only for services: a person can only speak for themselves. */
const speaker = Type.Optional(UserId);

export const Me = Type.Literal("me", { description: "`me`: your own conversation." });

export const NewChatMessage = strictObject({ messageId: Type.Optional(MessageId), text, userId: speaker });
export type NewChatMessage = Type.Static<typeof NewChatMessage>;

export const NewChatBatch = strictObject({
  // Do not validate each text here: one that is too long gets a reply that says so, and must not reject the whole
  // batch.
  messages: Type.Array(strictObject({ messageId: MessageId, text: Type.String(), userId: speaker }), {
    minItems: 1,
    maxItems: 100,
    description: "In the order in which they were written.",
  }),
});
export type NewChatBatch = Type.Static<typeof NewChatBatch>;

export const ChatReply = Type.Object({
  messageId: Type.String(),
  reply: Type.String({ description: "The same for every retry of the message." }),
});
export type ChatReply = Type.Static<typeof ChatReply>;

export const ChatReplies = Type.Object({
  replies: Type.Array(ChatReply),
  batchItemFailures: Type.Array(
    Type.Object({
      itemIdentifier: Type.String({ description: "The `messageId` of a message to send again." }),
    }),
    { description: "Messages that failed and may succeed when sent again. All others are settled." },
  ),
  failures: Type.Array(
    Type.Object({
      messageId: Type.String(),
      code: Type.String(),
      message: Type.String(),
      retryable: Type.Boolean({ description: "Whether it is one of `batchItemFailures`." }),
    }),
    { description: "Each message that failed, and why." },
  ),
});
export type ChatReplies = Type.Static<typeof ChatReplies>;

export const ConversationLine = Type.Object({
  number: Type.Integer({ description: "1, 2, 3… in this conversation." }),
  by: Type.Union([Type.Literal("you"), Type.Literal("openseat")]),
  text: Type.String(),
  at: Time,
});
export type ConversationLine = Type.Static<typeof ConversationLine>;

export const Conversation = Type.Object({
  lines: Type.Array(ConversationLine, { description: "The latest 100, oldest first." }),
  version: Type.Integer({ description: "Watch from this version." }),
});
export type Conversation = Type.Static<typeof Conversation>;

export interface ConversationViewMessage {
  readonly type: "view";
  readonly version: number;
  /** As requested: `me`, or the id of the person. */
  readonly conversation: string;
  readonly lines: readonly ConversationLine[];
}
export interface ConversationChangeMessage {
  readonly type: "change";
  readonly version: number;
  readonly conversation: string;
  /** The new lines. Only lines in a view have numbers. */
  readonly lines: readonly Omit<ConversationLine, "number">[];
}

const ChatGroup = Type.Object({
  number: Type.String(),
  channel: Type.String(),
  title: Type.String(),
  ladder: orNull(Type.String()),
});
export const ChatGroupOnly = Type.Object({ group: ChatGroup });
export type ChatGroupOnly = Type.Static<typeof ChatGroupOnly>;
export const ChatGroupList = Type.Object({ groups: Type.Array(ChatGroup), nextCursor: NextCursor });
export type ChatGroupList = Type.Static<typeof ChatGroupList>;
export const ChatGroupLink = strictObject({ ladder: Id });
export type ChatGroupLink = Type.Static<typeof ChatGroupLink>;
