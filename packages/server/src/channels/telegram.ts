import type { Refusal } from "@openseat/kernel";
import type { MessageReceiver } from "../app/chat/channel.ts";
import type { Clock } from "../clock.ts";
import { stopping } from "../host/failures.ts";
import type { Sending } from "../host/outbox/channel-sender.ts";
import type { ChannelAdapter } from "./channel-adapter.ts";
import { type Bot, TelegramApi, type TelegramFault } from "./telegram-api.ts";
import { TelegramPoller } from "./telegram-poller.ts";
import { TelegramRetries } from "./telegram-retries.ts";
import { readUpdate, UpdateHandler } from "./telegram-updates.ts";
import { webhookRoute } from "./telegram-webhook.ts";

export interface TelegramOptions {
  readonly token: string;
  readonly apiRoot?: string;
  /** Where Telegram delivers messages, and its secret. Undefined for polling. */
  readonly webhook?: { readonly url: string; readonly secret: string };
  /** How long Telegram keeps a request open while no message comes. */
  readonly pollSeconds?: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** How long a shutdown waits for messages that are being sent. */
const lingerMsMax = 3_000;

/** In UTF-16 code units, as Telegram counts. */
const messageLengthMax = 4_096;

const unready: Refusal = {
  code: "server.busy",
  message: "The bot is still starting. Please send this again in a moment.",
  retryable: true,
};

/** CH6: a bot on Telegram, in private chats and in groups. */
export function telegram(options: TelegramOptions): ChannelAdapter {
  const { token, apiRoot = "https://api.telegram.org", webhook, pollSeconds = 25, clock, onError } = options;
  const api = new TelegramApi({ token, apiRoot, clock });
  const stop = new AbortController();
  const over = stop.signal;
  const hurry = new AbortController();
  const retries = new TelegramRetries({ clock, over, onError });
  const poller = new TelegramPoller({ api, clock, pollSeconds, onError, over });
  const underWay = new Set<Promise<unknown>>();
  let bot: Bot | undefined;

  function tracked<T>(work: Promise<T>): Promise<T> {
    const end = () => underWay.delete(work);
    underWay.add(work);
    work.then(end, end);
    return work;
  }

  async function begin(receiver: MessageReceiver): Promise<void> {
    bot = await retries.untilDone(() => api.me(over));
    if (!bot) return;
    if (webhook) await retries.untilDone(() => api.announce(webhook.url, webhook.secret, over));
    else poller.begin({ bot, handler: new UpdateHandler(channel, receiver, onError) });
  }

  async function say(place: string, text: string, isMoved = false): Promise<Sending> {
    try {
      await api.say(place, text, hurry.signal);
      return "sent";
    } catch (error) {
      const fault = error as TelegramFault;
      if (fault.movedTo !== undefined && !isMoved) return say(fault.movedTo, text, true);
      return fault.asSending();
    }
  }

  async function take(handler: UpdateHandler, update: unknown): Promise<Refusal | undefined> {
    if (over.aborted) return stopping;
    return bot ? handler.handle(readUpdate(update, bot)) : unready;
  }

  const channel: ChannelAdapter = {
    name: "telegram",
    replies: "sent",
    send: (place, text) => tracked(say(place, cut(text))),
    ...(webhook && {
      routes(app, receiver) {
        const handler = new UpdateHandler(channel, receiver, onError);
        webhookRoute(app, webhook.secret, (update) => tracked(take(handler, update)));
      },
    }),
    ...(!webhook && { fetch: (isOurs) => poller.take(isOurs) }),
    start(receiver) {
      void tracked(begin(receiver).catch(onError));
    },
    async stop() {
      stop.abort();
      // A hanging request to Telegram must not delay the shutdown.
      const linger = clock.after(lingerMsMax, () => hurry.abort());
      await Promise.allSettled(underWay);
      await poller.ended();
      linger.cancel();
    },
  };
  return channel;
}

/** Never leaves half of a surrogate pair. */
function cut(text: string): string {
  if (text.length <= messageLengthMax) return text;
  return `${text.slice(0, messageLengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
