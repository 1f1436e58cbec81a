import { Api, GrammyError, HttpError } from "grammy";
import type { Clock } from "../clock.ts";
import type { Sending } from "../host/outbox/channel-sender.ts";

export interface Bot {
  readonly id: number;
  readonly username: string;
}

export class TelegramFault extends Error {
  override readonly name = "TelegramFault";
  /** The status that Telegram returned; undefined without a readable response. */
  readonly status: number | undefined;
  /** How long to wait, if Telegram has said so. */
  readonly afterMs: number | undefined;
  /** The new id of the chat. */
  readonly movedTo: string | undefined;

  constructor(message: string, answer: Pick<Partial<GrammyError>, "error_code" | "parameters"> = {}) {
    super(message);
    const { retry_after, migrate_to_chat_id } = answer.parameters ?? {};
    this.status = answer.error_code;
    this.afterMs = Number(retry_after) > 0 ? Number(retry_after) * 1_000 : undefined;
    this.movedTo = Number.isSafeInteger(migrate_to_chat_id) ? String(migrate_to_chat_id) : undefined;
  }

  /** A retry alone will hardly help, for example with a wrong token. */
  get isLasting(): boolean {
    return this.status !== undefined && this.status < 500 && this.status !== 409 && this.status !== 429;
  }

  asSending(): Sending {
    const { status, message, afterMs } = this;
    // The operator will fix a revoked or mistyped token, and the message will still be valid then.
    if (this.isLasting && status !== 401 && status !== 404) return { failure: message };
    return afterMs === undefined ? { retry: message } : { retry: message, afterMs };
  }
}

/** Per call. A poll may take this much longer than the wait that it asked Telegram for. */
const callMsMax = 10_000;
/** Far more than a hundred updates need. */
const answerBytesMax = 16 * 1024 * 1024;
const webhookConnectionsMax = 40;

const wanted = { allowed_updates: ["message"] } as const;

/** grammY declares the signal type of a polyfill. Node's own works. */
type Signal = NonNullable<Parameters<Api["getMe"]>[0]>;

export interface ApiOptions {
  readonly token: string;
  readonly apiRoot: string;
  readonly clock: Clock;
}

/** Each call is bounded in time and throws only `TelegramFault`. */
export class TelegramApi {
  readonly #api: Api;
  readonly #token: string;
  readonly #clock: Clock;

  constructor({ token, apiRoot, clock }: ApiOptions) {
    this.#api = new Api(token, { apiRoot, baseFetchConfig: { size: answerBytesMax } });
    this.#token = token;
    this.#clock = clock;
  }

  async me(over: AbortSignal): Promise<Bot> {
    const me: Partial<Bot> | null = await this.#call((signal) => this.#api.getMe(signal), { over });
    const { id, username } = me ?? {};
    if (!Number.isSafeInteger(id) || !/^\w+$/.test(username ?? "")) throw this.#fault("The bot has no name.");
    return { id: id!, username: username! };
  }

  /** Updates from `offset` on. Telegram deletes earlier ones. */
  async updates(offset: number | undefined, timeout: number, over: AbortSignal): Promise<unknown[]> {
    const asked = { ...wanted, timeout, ...(offset !== undefined && { offset }) };
    const msMax = timeout * 1_000 + callMsMax;
    const updates = await this.#call((signal) => this.#api.getUpdates(asked, signal), { over, msMax });
    if (!Array.isArray(updates)) throw this.#fault("The updates are not a list.");
    return updates;
  }

  async announce(url: string, secret: string, over: AbortSignal): Promise<void> {
    const asked = { ...wanted, secret_token: secret, max_connections: webhookConnectionsMax };
    await this.#call((signal) => this.#api.setWebhook(url, asked, signal), { over });
  }

  async unannounce(over: AbortSignal): Promise<void> {
    await this.#call((signal) => this.#api.deleteWebhook({}, signal), { over });
  }

  async say(chat: string, text: string, over: AbortSignal): Promise<void> {
    const plain = { link_preview_options: { is_disabled: true } };
    await this.#call((signal) => this.#api.sendMessage(chat, text, plain, signal), { over });
  }

  async #call<T>(
    call: (signal: Signal) => Promise<T>,
    { over, msMax = callMsMax }: { over: AbortSignal; msMax?: number },
  ): Promise<T> {
    const timeout = new AbortController();
    const timer = this.#clock.after(msMax, () => timeout.abort());
    try {
      return await call(AbortSignal.any([over, timeout.signal]) as unknown as Signal);
    } catch (error) {
      throw timeout.signal.aborted ? this.#fault("Telegram did not answer in time.") : this.#fault(error);
    } finally {
      timer.cancel();
    }
  }

  /** Errors of grammY carry the URL with the token, and the payload with the webhook's secret. */
  #fault(error: unknown): TelegramFault {
    if (error instanceof GrammyError)
      return new TelegramFault(this.#scrub(`${error.error_code}: ${error.description}`), error);
    const cause = error instanceof HttpError ? error.error : error;
    return new TelegramFault(this.#scrub(cause instanceof Error ? cause.message : String(cause)));
  }

  #scrub(text: string): string {
    return text.replaceAll(this.#token, "<token>");
  }
}
