import type {
  ConversationCommand,
  ConversationEvent,
  Conversation as KernelConversation,
  ConversationLine as KernelLine,
  PersonId,
  Refusal,
} from "@openseat/kernel";
import type { Conversation, ConversationLine } from "@openseat/protocol";
import { type FeedMessage, feedMessage, type Lens } from "../../feed/watch.ts";
import type { Streams } from "../../host/streams.ts";
import type { Entry } from "../../log/entry.ts";
import { iso } from "../../views/times.ts";
import { type Identity, personOf } from "../identity.ts";
import { type Result, refused } from "../result.ts";

export type ConversationStreams = Streams<KernelConversation, ConversationCommand, ConversationEvent>;

/** What people with a token have said and were told. What is said to them comes through the outbox. */
export class Conversations {
  readonly #streams: ConversationStreams;

  constructor(streams: ConversationStreams) {
    this.#streams = streams;
  }

  /** `me`, or a person's own id; for services anybody's. */
  async get(identity: Identity, id: string): Promise<Result<Conversation>> {
    const { role, by } = identity;
    if (role === "service" && id !== "me") return this.#get(id as PersonId);
    return role === "person" && (id === "me" || id === by)
      ? this.#get(personOf(identity))
      : refused(notTheirs);
  }

  #get(person: PersonId): Promise<Result<Conversation>> {
    return this.#streams.read(person, (conversation, version) => ({
      lines: (conversation?.lines ?? []).map(lineView),
      version,
    }));
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

/** Asked for by, or said in the name of, somebody else. */
export const notTheirs: Refusal = {
  code: "auth.forbidden",
  message: "A person speaks, and reads, for themselves alone.",
};
