import type {
  ChatReplies,
  ChatReply,
  Conversation,
  ConversationLine,
  NewChatMessage,
} from "@openseat/protocol";
import type { ErrorCode } from "./error-codes.ts";
import type { OpenseatError } from "./errors.ts";
import type { RoomKind } from "./live/watched-room.ts";
import type { Watches } from "./live/watches.ts";
import { newKey } from "./platform.ts";
import type { Requests } from "./requests.ts";

/** A new line. Only whole conversations number their lines. */
export type LineSaid = Omit<ConversationLine, "number">;

/** A message that failed. Pass it to `sayAll` again to retry it, if it is `retryable`. */
export interface FailedMessage extends NewChatMessage {
  readonly messageId: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
}

export interface AllSaid {
  readonly replies: readonly ChatReply[];
  readonly failures: readonly FailedMessage[];
}

/** The conversation, and the new lines since the last update. */
export type ChatUpdate = Conversation & { readonly changes: readonly LineSaid[] };

/** The server's limit. */
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
export class Chat {
  readonly #requests: Requests;
  readonly #watches: Watches;
  readonly #report: (error: unknown) => void;

  constructor(requests: Requests, watches: Watches, report: (error: unknown) => void) {
    this.#requests = requests;
    this.#watches = watches;
    this.#report = report;
  }

  /** Sends a message and returns the reply. A repeated message id takes effect once and gets the same reply. */
  async say(text: string, message: Omit<NewChatMessage, "text"> = {}): Promise<string> {
    const said = { messageId: newKey(), ...message, text };
    return (await this.#requests.write<ChatReply>("/api/v1/chat/messages", said)).reply;
  }

  /** Sends several messages in order. Returns the failed ones too: send those again that are `retryable`. */
  async sayAll(messages: readonly (string | NewChatMessage)[]): Promise<AllSaid> {
    const said = messages.map(withId);
    const { replies, failures } = await this.#requests.write<ChatReplies>("/api/v1/chat/messages", {
      messages: said,
    });
    const byId = new Map(said.map((message) => [message.messageId, message]));
    return {
      replies,
      failures: failures.map((failure) => ({
        ...byId.get(failure.messageId)!,
        ...failure,
        code: failure.code as ErrorCode,
      })),
    };
  }

  /** The latest lines, oldest first. */
  async lines(): Promise<readonly ConversationLine[]> {
    return (await this.#requests.readAsPerson<Conversation>("/api/v1/conversations/me")).lines;
  }

  /**
   * Calls the listener with the conversation and with the new lines since the last call; the first call has none. Makes
   * this client a guest if it is no person yet. Returns a function that stops watching.
   */
  watch(
    listener: (conversation: Conversation, lines: readonly LineSaid[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    let isOver = false;
    let stop = () => {};
    this.#requests.ensurePerson().then(
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

  /** `watch` as an async iterator. */
  updates(): AsyncIterableIterator<ChatUpdate, undefined> {
    return this.#watches.updates(this.watch.bind(this), (conversation, changes) => ({
      ...conversation,
      changes,
    }));
  }
}

/** Picks the fields of a message, because a failed message carries its error as well. */
function withId(given: string | NewChatMessage) {
  if (typeof given === "string") return { messageId: newKey(), text: given };
  const { messageId = newKey(), text, userId } = given;
  return { messageId, text, ...(userId !== undefined && { userId }) };
}
