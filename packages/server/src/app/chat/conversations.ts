import type {
  ConversationCommand,
  ConversationEvent,
  Conversation as KernelConversation,
  ConversationLine as KernelLine,
  PersonId,
  Refusal,
} from "@openseat/kernel";
import type { ConversationLine } from "@openseat/protocol";
import { type FeedMessage, feedMessage, type Lens } from "../../feed/watch.ts";
import type { Streams } from "../../host/streams.ts";
import type { Entry } from "../../log/entry.ts";
import { type Answer, failure, success } from "../../transport/http/envelope.ts";
import { iso } from "../../views/times.ts";

export type ConversationStreams = Streams<KernelConversation, ConversationCommand, ConversationEvent>;

/** What people with a token have said and were told. What is said to them comes through the outbox. */
export class Conversations {
  readonly #streams: ConversationStreams;

  constructor(streams: ConversationStreams) {
    this.#streams = streams;
  }

  async get(person: PersonId): Promise<Answer> {
    const found = await this.#streams.read(person, (conversation, version) => ({
      lines: (conversation?.lines ?? []).map(lineView),
      version,
    }));
    return "refusal" in found ? failure(found.refusal) : success(200, "What was said.", found.value);
  }

  /** There always is one: before anything was said it is empty. */
  async lens(person: string): Promise<Lens | { refusal: Refusal }> {
    return {
      view: () => this.#view(person),
      change: (entry) => {
        const at = iso(entry.at);
        const lines = (entry as Entry<ConversationEvent>).events.flatMap((event) =>
          event.lines.map(({ by, text }) => ({ by, text, at })),
        );
        return feedMessage("change", entry.version, { conversation: "me", lines });
      },
    };
  }

  async #view(person: string): Promise<FeedMessage | undefined> {
    const found = await this.#streams.read(person, (conversation, version) =>
      feedMessage("view", version, {
        conversation: "me",
        lines: (conversation?.lines ?? []).map(lineView),
      }),
    );
    return "refusal" in found ? undefined : found.value;
  }
}

function lineView({ number, by, text, at }: KernelLine): ConversationLine {
  return { number, by, text, at: iso(at) };
}
