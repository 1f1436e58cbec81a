import { randomUUID } from "node:crypto";
import { type ChatReply, type Conversation, NewChatMessage, UserId } from "@openseat/protocol";
import { type Actor, service } from "../actor.ts";
import { type Answered, type CallOptions, type Calls, onlyPersons, onlyServices } from "./calls.ts";

/** Messages such as `throw rock @bob`. */
export class ChatApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** A message with the same `messageId` takes effect once. By default, the id is the key, or a new one. */
  say(
    person: Actor,
    message: Omit<NewChatMessage, "userId">,
    options: Pick<CallOptions, "key" | "address"> = {},
  ): Answered<ChatReply> {
    const call = { actor: person, by: onlyPersons, options, body: [NewChatMessage, message] } as const;
    return this.#calls.act(call, ({ talk }, { who, key, body }) => {
      const { messageId = key ?? randomUUID() } = body;
      return talk.webChat.say(who, { ...body, messageId }, options.address);
    });
  }

  conversation(userId: string): Answered<Conversation> {
    const call = { actor: service, by: onlyServices, takes: [[UserId, userId, "userId"]] as const };
    return this.#calls.act(call, ({ talk }, { who }) => talk.conversations.get(who, userId));
  }
}
