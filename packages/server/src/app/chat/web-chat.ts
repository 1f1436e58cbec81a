import type { PersonId } from "@openseat/kernel";
import type { ChatReplies, ChatReply } from "@openseat/protocol";
import { chatPrefix, type Identity } from "../identity.ts";
import { invalidInput } from "../invalid-input.ts";
import type { NetworkHashes } from "../network-hashes.ts";
import { type AsyncResult, type Result, refused } from "../result.ts";
import type { ChannelReply } from "./channel.ts";
import type { Chat } from "./chat.ts";
import { notTheirs } from "./conversations.ts";

interface Said {
  readonly messageId: string;
  readonly text: string;
  /** Services only. */
  readonly userId?: string;
}

/** CH3, CH6: the chat for people with a token. */
export class WebChat {
  readonly #chat: Chat;
  readonly #networks: NetworkHashes;

  constructor(chat: Chat, networks: NetworkHashes) {
    this.#chat = chat;
    this.#networks = networks;
  }

  async say(identity: Identity, said: Said, address: string | undefined): AsyncResult<ChatReply> {
    const speaker = speakerOf(identity, said);
    if ("refusal" in speaker) return speaker;
    const outcomes = await this.#send(speaker.value, said, this.#networks.of(address));
    if ("refusal" in outcomes) return outcomes;
    const { reply, replayed = false } = outcomes;
    return { value: { messageId: said.messageId, reply }, replayed };
  }

  /** CH3: in order for each person, because a message may refer to the one before. */
  async sayAll(identity: Identity, messages: readonly Said[], address: string): AsyncResult<ChatReplies> {
    const network = this.#networks.of(address);
    const outcomes = new Map<Said, ChannelReply>();
    const bySpeaker = Map.groupBy(messages, (message) => {
      const speaker = speakerOf(identity, message);
      if ("value" in speaker) return speaker.value;
      outcomes.set(message, speaker);
      return undefined;
    });
    await Promise.all(
      Array.from(bySpeaker, async ([person, said]) => {
        if (person !== undefined)
          await sendInOrder(said, (one) => this.#send(person, one, network), outcomes);
      }),
    );
    return { value: repliesTo(messages, outcomes) };
  }

  #send(person: PersonId, { messageId: id, text }: Said, network?: string): Promise<ChannelReply> {
    return this.#chat.hearPerson(person, { id, text, ...(network !== undefined && { network }) });
  }
}

/** Stops at the first message that has to be sent again, because later messages may refer to it. */
async function sendInOrder(
  said: readonly Said[],
  send: (said: Said) => Promise<ChannelReply>,
  outcomes: Map<Said, ChannelReply>,
): Promise<void> {
  let refused: ChannelReply | undefined;
  for (const message of said) {
    const outcome = refused ?? (await send(message));
    outcomes.set(message, outcome);
    if ("refusal" in outcome && outcome.refusal.retryable) refused = outcome;
  }
}

/** In the order of the messages: two people may have used the same id. */
function repliesTo(messages: readonly Said[], outcomes: ReadonlyMap<Said, ChannelReply>): ChatReplies {
  const replies: ChatReplies["replies"] = [];
  const failures: ChatReplies["failures"] = [];
  for (const said of messages) {
    const { messageId } = said;
    const outcome = outcomes.get(said)!;
    if ("reply" in outcome) replies.push({ messageId, reply: outcome.reply });
    else {
      const { code, message, retryable = false } = outcome.refusal;
      failures.push({ messageId, code, message, retryable });
    }
  }
  // CH3: a queue redelivers these, so they include only messages that may succeed then.
  const batchItemFailures = failures
    .filter(({ retryable }) => retryable)
    .map(({ messageId }) => ({ itemIdentifier: messageId }));
  return { replies, batchItemFailures, failures };
}

function speakerOf({ role, by }: Identity, { userId }: Said): Result<PersonId> {
  if (role === "person")
    return userId === undefined || userId === by ? { value: by as PersonId } : refused(notTheirs);
  if (userId === undefined) return refused(invalidInput("body", "userId", "is missing"));
  // These people are known by an address on a channel. They would never see a reply here.
  if (userId.startsWith(chatPrefix))
    return refused(invalidInput("body", "userId", "must not belong to a person on another channel"));
  return { value: userId as PersonId };
}
