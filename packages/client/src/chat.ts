import type {
  ChatReplies,
  ChatReply,
  Conversation,
  ConversationLine,
  NewChatMessage,
} from "@openseat/protocol";
import type { Asking } from "./asking.ts";
import type { OpenseatError } from "./errors.ts";
import type { RoomKind } from "./live/watched-room.ts";
import type { Watches } from "./live/watches.ts";
import { newKey } from "./platform.ts";

/** A line that is new: only a whole conversation numbers its lines. */
export type LineSaid = Omit<ConversationLine, "number">;

/** One that was not done. Given to `sayAll` again, it is the same message; that helps only if it is `retryable`. */
export interface NotHeard extends NewChatMessage {
  readonly messageId: string;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

export interface AllSaid {
  readonly replies: readonly ChatReply[];
  readonly failures: readonly NotHeard[];
}

/** The server shows no more either. */
const linesMax = 100;

const conversationKind: RoomKind<Conversation, LineSaid> = {
  name: "conversation",
  isPersonal: true,
  viewIn: ({ lines, version }) => ({ lines: lines as ConversationLine[], version }),
  changesIn: (message) => message.lines as LineSaid[],
  after({ lines }, message) {
    const last = lines.at(-1)?.number ?? 0;
    const news = (message.lines as LineSaid[]).map((line, index) => ({ number: last + 1 + index, ...line }));
    return { lines: [...lines, ...news].slice(-linesMax), version: message.version };
  },
};

/** The conversation with Openseat. */
export class ChatHandle {
  readonly #asking: Asking;
  readonly #watches: Watches;
  readonly #report: (error: unknown) => void;

  constructor(asking: Asking, watches: Watches, report: (error: unknown) => void) {
    this.#asking = asking;
    this.#watches = watches;
    this.#report = report;
  }

  /** What is answered. A message that is said again under its id takes effect once, and is answered the same. */
  async say(text: string, message: Omit<NewChatMessage, "text"> = {}): Promise<string> {
    const said = { messageId: newKey(), ...message, text };
    return (await this.#asking.change<ChatReply>("/api/v1/chat/messages", said)).reply;
  }

  /** Several messages, in their order. Those that were not done are named: say those again that are `retryable`. */
  async sayAll(messages: readonly (string | NewChatMessage)[]): Promise<AllSaid> {
    const said = messages.map(withId);
    const { replies, failures } = await this.#asking.change<ChatReplies>("/api/v1/chat/messages", {
      messages: said,
    });
    const byId = new Map(said.map((message) => [message.messageId, message]));
    return {
      replies,
      failures: failures.map((failure) => ({ ...byId.get(failure.messageId)!, ...failure })),
    };
  }

  /** The latest that were said, the oldest first. */
  async lines(): Promise<readonly ConversationLine[]> {
    return (await this.#asking.lookAsSomebody<Conversation>("/api/v1/conversations/me")).lines;
  }

  /**
   * Calls with the conversation and with the lines that are new since the call before; the first time with none. Whoever
   * is nobody yet becomes a guest: nobody has no conversation. Gives back how to stop.
   */
  watch(
    listener: (conversation: Conversation, lines: readonly LineSaid[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    let isOver = false;
    let stop = () => {};
    this.#asking.becomeSomebody().then(
      () => {
        if (!isOver) stop = this.#watches.watch(conversationKind, "me", listener, onRefused);
      },
      (error) => isOver || (onRefused ?? this.#report)(error),
    );
    return () => {
      isOver = true;
      stop();
    };
  }
}

/** No more of it than is sent: what was refused before says why, too. */
function withId(given: string | NewChatMessage) {
  if (typeof given === "string") return { messageId: newKey(), text: given };
  const { messageId = newKey(), text, userId } = given;
  return { messageId, text, ...(userId !== undefined && { userId }) };
}
