import type {
  ConversationCommand,
  ConversationEvent,
  Conversation as KernelConversation,
  Refusal,
} from "@openseat/kernel";
import type { Conversation } from "@openseat/protocol";
import { feedMessage, type Lens } from "../../feed/watch.ts";
import type { Streams } from "../../host/streams.ts";
import type { Entry } from "../../log/entry.ts";
import { iso } from "../../views/times.ts";
import type { Identity } from "../identity.ts";
import { type AsyncResult, type Refused, refused } from "../result.ts";

export type ConversationStreams = Streams<KernelConversation, ConversationCommand, ConversationEvent>;

export class Conversations {
  readonly #streams: ConversationStreams;

  constructor(streams: ConversationStreams) {
    this.#streams = streams;
  }

  /** `me`, or a person's own id. A service may read any conversation. */
  async get({ role, by }: Identity, id: string): AsyncResult<Conversation> {
    const own = role === "person" && (id === "me" || id === by) ? by : undefined;
    const person = role === "service" && id !== "me" ? id : own;
    return person === undefined ? refused(notTheirs) : this.#streams.read(person, conversationView);
  }

  /** Every person has a conversation; it is empty at first. */
  async lens(person: string): Promise<Lens | Refused> {
    return {
      view: async () => {
        const found = await this.#streams.read(person, conversationView);
        if ("refusal" in found) return undefined;
        const { version, lines } = found.value;
        return feedMessage("view", version, { conversation: "me", lines });
      },
      change: (entry) => {
        const at = iso(entry.at);
        const lines = (entry as Entry<ConversationEvent>).events.flatMap((event) =>
          event.lines.map(({ by, text }) => ({ by, text, at })),
        );
        return feedMessage("change", entry.version, { conversation: "me", lines });
      },
    };
  }
}

function conversationView(conversation: KernelConversation | undefined, version: number): Conversation {
  const lines = conversation?.lines ?? [];
  return { lines: lines.map(({ number, by, text, at }) => ({ number, by, text, at: iso(at) })), version };
}

export const notTheirs: Refusal = {
  code: "auth.forbidden",
  message: "You can only read and write in your own conversation.",
};
