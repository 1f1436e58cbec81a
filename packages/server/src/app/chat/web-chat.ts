import type { PersonId, Refusal } from "@openseat/kernel";
import type { ChatReplies, ChatReply } from "@openseat/protocol";
import { chatPrefix, type Identity } from "../identity.ts";
import { invalidInput } from "../invalid-input.ts";
import type { NetworkHashes } from "../network-hashes.ts";
import { type Refused, type Result, refused } from "../result.ts";
import type { Heard } from "./channel.ts";
import type { Chat } from "./chat.ts";
import { notTheirs } from "./conversations.ts";

interface Said {
  readonly messageId: string;
  readonly text: string;
  /** For services alone. */
  readonly userId?: string;
}

/** CH3, CH6: the chat for browsers and programs, where people prove who they are by a token. */
export class WebChat {
  readonly #chat: Chat;
  readonly #networks: NetworkHashes;

  constructor(chat: Chat, networks: NetworkHashes) {
    this.#chat = chat;
    this.#networks = networks;
  }

  async say(identity: Identity, said: Said, address: string): Promise<Result<ChatReply>> {
    const speaker = speakerOf(identity, said);
    if ("refusal" in speaker) return speaker;
    const heard = await this.#hear(speaker.person, said, this.#networks.of(address));
    if ("refusal" in heard) return heard;
    const { reply, replayed = false } = heard;
    return { value: { messageId: said.messageId, reply }, replayed };
  }

  /** CH3: one after the other, because what one person says builds upon what they said before. */
  async sayAll(identity: Identity, messages: readonly Said[], address: string): Promise<Result<ChatReplies>> {
    const network = this.#networks.of(address);
    const heard = new Map<Said, Heard>();
    const good = messages.filter((message) => {
      const speaker = speakerOf(identity, message);
      if ("refusal" in speaker) heard.set(message, speaker);
      return "person" in speaker;
    });
    const bySpeaker = Map.groupBy(good, ({ userId }) => (userId ?? identity.by) as PersonId);
    await Promise.all(
      Array.from(bySpeaker, ([person, said]) =>
        hearInOrder(said, (one) => this.#hear(person, one, network), heard),
      ),
    );
    return { value: repliesTo(messages, heard) };
  }

  #hear(person: PersonId, { messageId: id, text }: Said, network: string): Promise<Heard> {
    return this.#chat.hearPerson(person, { id, text, network });
  }
}

/** What one person said, up to the first that has to come again: heard before it, the next would be misunderstood. */
async function hearInOrder(
  said: readonly Said[],
  hear: (said: Said) => Promise<Heard>,
  heard: Map<Said, Heard>,
): Promise<void> {
  let refused: Heard | undefined;
  for (const message of said) {
    const outcome = refused ?? (await hear(message));
    heard.set(message, outcome);
    if ("refusal" in outcome && outcome.refusal.retryable) refused = outcome;
  }
}

/** In the order in which they came: two people may have given theirs the same id. */
function repliesTo(messages: readonly Said[], heard: ReadonlyMap<Said, Heard>): ChatReplies {
  const replies: ChatReplies["replies"] = [];
  const failures: ChatReplies["failures"] = [];
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
  return { replies, batchItemFailures, failures };
}

function failureOf(
  messageId: string,
  { code, message, retryable }: Refusal,
): ChatReplies["failures"][number] {
  return { messageId, code, message, retryable: retryable === true };
}

function speakerOf({ role, by }: Identity, { userId }: Said): { readonly person: PersonId } | Refused {
  if (role === "person")
    return userId === undefined || userId === by ? { person: by as PersonId } : refused(notTheirs);
  if (userId === undefined) return refused(invalidInput("body", "userId", "is missing"));
  // Whoever is known by an address on a channel speaks there: said here, they would be answered where they never look.
  if (userId.startsWith(chatPrefix))
    return refused(invalidInput("body", "userId", "must not be that of somebody on another channel"));
  return { person: userId as PersonId };
}
