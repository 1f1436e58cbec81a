import type { Refusal } from "@openseat/kernel";
import type { Ear } from "../app/chat/channel.ts";
import type { Clock } from "../clock.ts";
import type { Sending } from "../host/outbox/courier.ts";
import { stopping } from "../host/trouble.ts";
import type { ChannelAdapter } from "./channel-adapter.ts";
import { type Bot, TelegramApi, type TelegramFault } from "./telegram-api.ts";
import { Patience } from "./telegram-patience.ts";
import { Fetching } from "./telegram-polling.ts";
import { Hearing, readUpdate } from "./telegram-updates.ts";
import { webhookRoute } from "./telegram-webhook.ts";

export interface TelegramOptions {
  readonly token: string;
  readonly apiRoot?: string;
  /** Where Telegram is to bring messages, and what it proves itself with; undefined: they are fetched. */
  readonly webhook?: { readonly url: string; readonly secret: string };
  /** So long Telegram keeps a request for messages while none comes. */
  readonly pollSeconds?: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** So long a stop waits for what is being sent. */
const lingerMsMax = 3_000;

/** As Telegram counts them. */
const messageLengthMax = 4_096;

const unready: Refusal = {
  code: "server.busy",
  message: "The bot does not know its own name yet. Please bring it again in a moment.",
  retryable: true,
};

/** CH6: a bot on Telegram, in private chats and in groups. */
export function telegram(options: TelegramOptions): ChannelAdapter {
  const { token, apiRoot = "https://api.telegram.org", webhook, pollSeconds = 25, clock, onError } = options;
  const api = new TelegramApi({ token, apiRoot, clock });
  const stop = new AbortController();
  const over = stop.signal;
  const hurry = new AbortController();
  const patience = new Patience(clock, over, onError);
  const fetching = new Fetching({ api, clock, pollSeconds, onError, over });
  const underWay = new Set<Promise<unknown>>();
  let bot: Bot | undefined;

  function tracked<T>(work: Promise<T>): Promise<T> {
    const end = () => underWay.delete(work);
    underWay.add(work);
    work.then(end, end);
    return work;
  }

  async function begin(ear: Ear): Promise<void> {
    bot = await patience.insist(() => api.me(over));
    if (!bot) return;
    if (webhook) await patience.insist(() => api.announce(webhook.url, webhook.secret, over));
    else fetching.begin(bot, new Hearing(channel, ear, onError));
  }

  async function take(hearing: Hearing, update: unknown): Promise<Refusal | undefined> {
    if (over.aborted) return stopping;
    return bot ? hearing.hear(readUpdate(update, bot)) : unready;
  }

  const channel: ChannelAdapter = {
    name: "telegram",
    replies: "sent",
    send: (place, text) => tracked(say(api, { place, text: cut(text), over: hurry.signal })),
    ...(webhook && {
      routes(app, ear) {
        const hearing = new Hearing(channel, ear, onError);
        webhookRoute(app, { secret: webhook.secret, take: (update) => tracked(take(hearing, update)) });
      },
    }),
    ...(!webhook && { fetch: (isOurs) => fetching.take(isOurs) }),
    start(ear) {
      void tracked(begin(ear).catch(onError));
    },
    async stop() {
      stop.abort();
      // What is being sent may end by itself; but a Telegram that hangs must not keep the server from stopping.
      const linger = clock.after(lingerMsMax, () => hurry.abort());
      await Promise.allSettled(underWay);
      await fetching.ended();
      linger.cancel();
    },
  };
  return channel;
}

interface Message {
  readonly place: string;
  readonly text: string;
  readonly over: AbortSignal;
}

async function say(api: TelegramApi, message: Message, isMoved = false): Promise<Sending> {
  try {
    await api.say(message.place, message.text, message.over);
    return "sent";
  } catch (error) {
    const fault = error as TelegramFault;
    if (fault.movedTo !== undefined && !isMoved) return say(api, { ...message, place: fault.movedTo }, true);
    const { message: why, status, afterMs, isLasting } = fault;
    // A token that was revoked or mistyped is set right one day; what is to be said then is still true.
    if (isLasting && status !== 401 && status !== 404) return { failure: why };
    return afterMs === undefined ? { retry: why } : { retry: why, afterMs };
  }
}

/** Not between the halves of one sign, as that would be none. */
function cut(text: string): string {
  if (text.length <= messageLengthMax) return text;
  return `${text.slice(0, messageLengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
