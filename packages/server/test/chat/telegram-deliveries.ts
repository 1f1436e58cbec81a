import { Agent, request } from "node:http";
import type { Faults } from "./telegram-faults.ts";
import type { Update } from "./telegram-stand-in.ts";

interface Webhook {
  readonly url: string;
  readonly secret: string | undefined;
  readonly connections: number;
}

/** The pause before a redelivery. Telegram's is longer, but would slow down the test. */
const againMs = 40;
const answerMsMax = 10_000;

/** Delivers updates to a webhook: those of a chat in order, each until it is accepted. */
export class Deliveries {
  /** The response statuses, in order; 0 for no response. */
  readonly statuses: number[] = [];
  readonly #faults: Faults;
  readonly #locate: (url: string) => string;
  #agent = new Agent({ keepAlive: true });
  #webhook: Webhook | undefined;
  readonly #chats = new Map<unknown, Update[]>();
  readonly #running = new Map<unknown, Promise<void>>();

  constructor(faults: Faults, locate: (url: string) => string) {
    this.#faults = faults;
    this.#locate = locate;
  }

  get isOpen(): boolean {
    return this.#webhook !== undefined;
  }

  get pending(): number {
    return [...this.#chats.values()].reduce((sum, chat) => sum + chat.length, 0);
  }

  open(webhook: Webhook): void {
    this.#webhook = webhook;
    this.#agent.maxSockets = webhook.connections;
    for (const key of this.#chats.keys()) this.#run(key);
  }

  /** Returns the updates that were not accepted. */
  async close(): Promise<Update[]> {
    this.#webhook = undefined;
    await Promise.all(this.#running.values());
    const left = [...this.#chats.values()].flat().sort((a, b) => a.update_id - b.update_id);
    this.#chats.clear();
    return left;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.close();
  }

  add(update: Update): void {
    const key = update.body?.message?.chat?.id;
    const chat = this.#chats.get(key) ?? [];
    chat.push(update);
    this.#chats.set(key, chat);
    this.#run(key);
  }

  #run(key: unknown): void {
    if (this.#running.has(key)) return;
    const run = this.#bringAll(this.#chats.get(key)!).finally(() => {
      this.#running.delete(key);
      if (this.isOpen && this.#chats.get(key)?.length) this.#run(key);
    });
    this.#running.set(key, run);
  }

  async #bringAll(chat: Update[]): Promise<void> {
    while (this.#webhook && chat.length > 0) {
      const status = await this.#bring(this.#webhook, chat[0]);
      this.statuses.push(status);
      const isTaken = status >= 200 && status < 300;
      if (!isTaken) await new Promise((resolve) => setTimeout(resolve, againMs));
      else if (!this.#faults.happens("repeat")) chat.shift();
    }
  }

  /** The status of the response, if one arrives. */
  #bring({ url, secret }: Webhook, { body }: Update): Promise<number> {
    const isLost = this.#faults.happens("drop");
    return new Promise((resolve) => {
      const asking = request(this.#locate(url), {
        method: "POST",
        agent: this.#agent,
        timeout: answerMsMax,
        headers: {
          "content-type": "application/json",
          ...(secret !== undefined && { "x-telegram-bot-api-secret-token": secret }),
        },
      });
      asking.on("timeout", () => asking.destroy());
      asking.on("error", () => resolve(0));
      asking.on("response", (response) => {
        response.resume();
        response.on("error", () => resolve(0));
        response.on("close", () => resolve(isLost ? 0 : (response.statusCode ?? 0)));
      });
      asking.end(JSON.stringify(body));
    });
  }
}
