import type { Refusal } from "@openseat/kernel";
import type { Channel, ChannelReply, Incoming, MessageReceiver } from "../app/chat/channel.ts";
import type { Bot } from "./telegram-api.ts";

export type Reading =
  | { readonly kind: "message"; readonly id: number; readonly message: Incoming }
  /** A group has a new address. */
  | {
      readonly kind: "moved";
      readonly id: number;
      readonly messageId: string;
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: "ignored"; readonly id: number }
  | { readonly kind: "malformed"; readonly id: number | undefined; readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;

/** Never throws: an update in an unexpected format is malformed. */
export function readUpdate(update: unknown, bot: Bot): Reading {
  // A negative offset would make Telegram delete all but the last few updates.
  if (!isFields(update) || !isId(update.update_id) || update.update_id < 0)
    return { kind: "malformed", id: undefined, problem: "it has no id" };
  const id = update.update_id;
  if (!("message" in update)) return { kind: "ignored", id };
  const read = readMessage(update.message, bot);
  if (read === undefined) return { kind: "ignored", id };
  if (typeof read === "string") return { kind: "malformed", id, problem: read };
  const messageId = messageIdOf(update.message, id, bot);
  return "to" in read
    ? { kind: "moved", id, messageId, ...read }
    : { kind: "message", id, message: { id: messageId, ...read } };
}

/**
 * The idempotency key of a message. The update's id is not enough: different bots use the same ids, and ids start over after a
 * quiet week.
 */
function messageIdOf(message: unknown, id: number, bot: Bot): string {
  const { date } = message as { date?: unknown };
  return `${bot.id}.${id}.${isId(date) ? date : 0}`;
}

/** The message, the chat's new address, what is wrong with the update, or undefined if it is not for the bot. */
function readMessage(
  message: unknown,
  bot: Bot,
): Omit<Incoming, "id"> | { from: string; to: string } | string | undefined {
  if (!isFields(message) || !isFields(message.chat)) return "it has no message in a chat";
  const { chat, from, text = message.caption } = message;
  if (!isId(chat.id)) return "its chat has no id";
  const place = String(chat.id);
  if (message.migrate_to_chat_id !== undefined)
    return isId(message.migrate_to_chat_id)
      ? { from: place, to: String(message.migrate_to_chat_id) }
      : "its chat has moved to an invalid id";
  // Sent in the name of a channel or a whole group, so there is no person to reply to.
  if (message.sender_chat !== undefined || chat.type === "channel") return undefined;
  if (!isFields(from) || !isId(from.id)) return "it has no sender";
  if (typeof from.is_bot !== "boolean") return "it does not say whether a bot has sent it";
  if (from.is_bot) return undefined;
  if (text !== undefined && typeof text !== "string") return "its text is not a string";
  const sender = String(from.id);
  if (chat.type === "private") return { sender, place, text: withoutName(text ?? "", bot) };
  if (chat.type !== "group" && chat.type !== "supergroup") return "its chat has an unknown type";
  if (typeof chat.title !== "string") return "its group has no title";
  if (text === undefined || !isForBot(text, message, bot)) return undefined;
  return { sender, place, group: { title: chat.title }, text: withoutName(text, bot) };
}

function isForBot(text: string, { reply_to_message: before }: Fields, bot: Bot): boolean {
  const said = text.replace(mentionOf(bot), "").trimStart();
  const addressed = /^\/\w*@(\w+)/.exec(said)?.[1];
  if (addressed !== undefined) return addressed.toLowerCase() === bot.username.toLowerCase();
  if (text.trimStart().startsWith("/") || mentionOf(bot).test(text)) return true;
  return isFields(before) && isFields(before.from) && before.from.id === bot.id;
}

/** `/throw@OurBot rock` is `/throw rock`, and `@OurBot throw rock` is `throw rock`. */
function withoutName(text: string, bot: Bot): string {
  const suffix = new RegExp(`^(/\\w*)@${bot.username}(?!\\w)`, "i");
  return text.replace(mentionOf(bot), "").trim().replace(suffix, "$1");
}

/** Not within a word, such as an email address or the longer name of another bot. */
function mentionOf({ username }: Bot): RegExp {
  return new RegExp(`(?<![\\w@/])@${username}(?!\\w)[,:]?\\s*`, "gi");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Ids of groups are negative. */
function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

export class UpdateHandler {
  readonly #channel: Channel;
  readonly #receiver: MessageReceiver;
  readonly #onError: (error: unknown) => void;

  constructor(channel: Channel, receiver: MessageReceiver, onError: (error: unknown) => void) {
    this.#channel = channel;
    this.#receiver = receiver;
    this.#onError = onError;
  }

  /** Why the update has to be sent again; undefined if it need not. CH7: an update that can never be handled is only reported. */
  async handle(reading: Reading): Promise<Refusal | undefined> {
    try {
      const outcome = await this.#replyTo(reading);
      if (outcome === undefined || "reply" in outcome) return undefined;
      if (outcome.refusal.retryable) return outcome.refusal;
      this.report(reading, outcome.refusal.message);
    } catch (error) {
      this.#onError(error);
    }
    return undefined;
  }

  async #replyTo(reading: Reading): Promise<ChannelReply | undefined> {
    if (reading.kind === "message") return this.#receiver.receive(this.#channel, reading.message);
    if (reading.kind === "moved")
      return this.#receiver.moved(this.#channel, reading.from, reading.to, reading.messageId);
    if (reading.kind === "malformed") this.report(reading, reading.problem);
    return undefined;
  }

  /** Reports an update without its text, which is private. */
  report({ id }: Reading, problem: string): void {
    const which = id === undefined ? "An update" : `Update ${id}`;
    this.#onError(new Error(`${which} from Telegram cannot be handled: ${problem}`));
  }
}
