import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../support/http.ts";
import { Deliveries } from "./telegram-deliveries.ts";
import { type Faults, faultsBySeed, type Mishap, misshapen, type Rates } from "./telegram-faults.ts";

export interface Update {
  readonly update_id: number;
  readonly body: Json;
}

/** The result of a method. */
type Answer =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      readonly error_code: number;
      readonly description: string;
      readonly parameters?: unknown;
    };

export interface StandInOptions {
  readonly seed?: number;
  readonly rates?: Partial<Rates>;
  /** The current host of a webhook's address, as from DNS. */
  readonly locate?: (url: string) => string;
}

const batchMax = 100;
const textLengthMax = 4_096;
/** The latest confirmed updates, some of which are repeated. */
const rememberedMax = 40;

const done = (result: unknown): Answer => ({ ok: true, result });
const refused = (error_code: number, description: string, parameters?: unknown): Answer => ({
  ok: false,
  error_code,
  description,
  ...(parameters !== undefined && { parameters }),
});

/**
 * Stands in for the Bot API. It holds what Telegram stores, so it outlives the servers that use it. Messages to it become
 * updates; the bot's messages are recorded by chat.
 */
export class TelegramStandIn {
  readonly token = "7654321:AAstand-in_token-of-the-tests-0123456789";
  readonly bot = { id: 7654321, is_bot: true, first_name: "Our bot", username: "OurBot" };
  /** Every received call, in order. */
  readonly calls: { readonly method: string; readonly body: Json }[] = [];
  /** People who have blocked the bot. */
  readonly blocked = new Set<number>();
  /** Groups that have become others. */
  readonly moved = new Map<number, number>();
  readonly deliveries: Deliveries;
  url = "";
  readonly #server: Server;
  readonly #faults: Faults;
  readonly #updates: Update[] = [];
  readonly #confirmed: Update[] = [];
  readonly #received = new Map<number, string[]>();
  readonly #scripts = new Map<string, Mishap[]>();
  #nextUpdate = 900_001;
  #nextMessage = 1;
  /** The waiting poll. */
  #waiting: ((answer: Answer | undefined) => void) | undefined;

  private constructor({ seed = 1, rates = {}, locate = (url) => url }: StandInOptions) {
    this.#faults = faultsBySeed(seed, rates);
    this.deliveries = new Deliveries(this.#faults, locate);
    this.#server = createServer((request, response) => {
      this.#take(request, response).catch((error) => response.destroy(error));
    });
  }

  static async start(options: StandInOptions = {}): Promise<TelegramStandIn> {
    const standIn = new TelegramStandIn(options);
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    standIn.url = `http://127.0.0.1:${(standIn.#server.address() as AddressInfo).port}`;
    return standIn;
  }

  async stop(): Promise<void> {
    await this.deliveries.stop();
    this.#waiting?.(done([]));
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** A message of a person: in private if the chat has their own id, else in a group. Returns its update's id. */
  say(chat: number, user: number, text: string, more: Json = {}): number {
    if (this.#faults.happens("malformed")) this.inject(this.#faults.one(misshapen));
    return this.inject({ message: this.message(chat, user, { text, ...more }) });
  }

  message(chat: number, user: number, fields: Json): Json {
    if (!this.#received.has(chat)) this.#received.set(chat, []);
    const place = chat === user ? { type: "private" } : { type: "group", title: `Group ${chat}` };
    return {
      message_id: this.#nextMessage++,
      date: 1_700_000_000,
      chat: { id: chat, ...place },
      from: { id: user, is_bot: false, first_name: `User ${user}` },
      ...fields,
    };
  }

  /** The id that the server gives the message of an update. */
  idOf(update: number): string {
    return `${this.bot.id}.${update}.1700000000`;
  }

  /** The update of a message, by the id that the server gives it. */
  updateOf(id: string): number {
    return Number(id.split(".")[1]);
  }

  /** Adds any update; an object without an id gets one. */
  inject(body: Json): number {
    const update_id = this.#nextUpdate++;
    const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
    const update = { update_id, body: isObject ? { update_id, ...body } : body };
    if (this.deliveries.isOpen) this.deliveries.add(update);
    else this.#updates.push(update);
    this.#waiting?.(undefined);
    return update_id;
  }

  /** What happens to the next calls of this method, in order. */
  script(method: string, ...mishaps: Mishap[]): void {
    this.#scripts.set(method, [...(this.#scripts.get(method) ?? []), ...mishaps]);
  }

  /** The bot's messages in a chat, in order, with repeats. */
  received(chat: number): readonly string[] {
    return this.#received.get(chat) ?? [];
  }

  callsOf(method: string): Json[] {
    return this.calls.filter((call) => call.method === method).map(({ body }) => body);
  }

  /** The unconfirmed updates. */
  get pending(): number {
    return this.#updates.length + this.deliveries.pending;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
    this.calls.push({ method, body });
    const mishap = this.#scripts.get(method)?.shift() ?? this.#faults.mishap();
    if (mishap === "lost") return void response.destroy();
    if (mishap === "silence") return;
    if (typeof mishap === "object" && "raw" in mishap) return void response.end(mishap.raw);
    if (typeof mishap === "object" && "status" in mishap)
      return reply(response, refused(mishap.status, mishap.description, mishap.parameters));
    const answer =
      token === this.token ? await this.#do(method, body, response) : refused(401, "Unauthorized");
    if (mishap === "drop") return void response.destroy();
    if (typeof mishap === "object") await new Promise((resolve) => setTimeout(resolve, mishap.slowMs));
    reply(response, answer);
  }

  async #do(method: string, body: Json, response: ServerResponse): Promise<Answer> {
    switch (method) {
      case "getMe":
        return done(this.bot);
      case "getUpdates":
        return this.#getUpdates(body, response);
      case "sendMessage":
        return this.#sendMessage(body);
      case "setWebhook":
        return this.#setWebhook(body);
      case "deleteWebhook":
        this.#updates.unshift(...(await this.deliveries.close()));
        return done(true);
      default:
        return refused(404, "Not Found");
    }
  }

  async #getUpdates({ offset = 0, timeout = 0 }: Json, response: ServerResponse): Promise<Answer> {
    if (this.deliveries.isOpen)
      return refused(409, "Conflict: can't use getUpdates method while webhook is active");
    this.#waiting?.(refused(409, "Conflict: terminated by other getUpdates request"));
    while (this.#updates.length > 0 && this.#updates[0].update_id < offset)
      this.#confirmed.push(this.#updates.shift()!);
    this.#confirmed.splice(0, this.#confirmed.length - rememberedMax);
    const ended = this.#updates.length === 0 ? await this.#nextOne(timeout, response) : undefined;
    if (ended) return ended;
    const again = this.#faults.happens("repeat") ? this.#faults.some(this.#confirmed) : [];
    return done([...again, ...this.#updates.slice(0, batchMax)].map(({ body }) => body));
  }

  /** Waits until an update arrives, the timeout has passed, or the client has disconnected. */
  #nextOne(timeout: number, response: ServerResponse): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const end = (answer: Answer | undefined) => {
        clearTimeout(timer);
        this.#waiting = undefined;
        resolve(answer);
      };
      const timer = setTimeout(() => end(done([])), timeout * 1_000);
      response.once("close", () => this.#waiting === end && end(done([])));
      this.#waiting = end;
    });
  }

  #sendMessage({ chat_id, text }: Json): Answer {
    const chat = Number(chat_id);
    const to = this.moved.get(chat);
    if (to !== undefined) {
      const description = "Bad Request: group chat was upgraded to a supergroup chat";
      return refused(400, description, { migrate_to_chat_id: to });
    }
    const received = this.#received.get(chat);
    if (!received) return refused(400, "Bad Request: chat not found");
    if (this.blocked.has(chat)) return refused(403, "Forbidden: bot was blocked by the user");
    if (typeof text !== "string" || text === "") return refused(400, "Bad Request: message text is empty");
    if (text.length > textLengthMax) return refused(400, "Bad Request: message is too long");
    received.push(text);
    return done({ message_id: this.#nextMessage++, date: 1_700_000_000, chat: { id: chat }, text });
  }

  #setWebhook({ url, secret_token, max_connections }: Json): Answer {
    if (!/^https?:\/\//.test(url))
      return refused(400, "Bad Request: bad webhook: HTTPS URL must be provided");
    this.deliveries.open({ url, secret: secret_token, connections: max_connections });
    for (const update of this.#updates.splice(0)) this.deliveries.add(update);
    return done(true);
  }
}

function reply(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.ok ? 200 : answer.error_code, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
}
