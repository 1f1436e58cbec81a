import type { Clock } from "../clock.ts";
import type { Bot, TelegramApi } from "./telegram-api.ts";
import type { Hearing } from "./telegram-hearing.ts";
import { Patience } from "./telegram-patience.ts";
import { poll } from "./telegram-polling.ts";

export interface FetchingParts {
  readonly api: TelegramApi;
  readonly clock: Clock;
  readonly pollSeconds: number;
  readonly onError: (error: unknown) => void;
  /** When it is, all is over. */
  readonly over: AbortSignal;
}

/**
 * Fetches messages while that is for this node to do. Of two that fetch, Telegram turns one away for the other, over and over.
 * When it goes from one node to another, what was not confirmed comes again there, and is the same message by its id: so
 * nothing is lost, and nothing takes effect twice, also while both think that it is theirs.
 */
export class Fetching {
  readonly #parts: FetchingParts;
  /** Undefined until it is known who the bot is, and who hears. */
  #known: { readonly bot: Bot; readonly hearing: Hearing } | undefined;
  /** Undefined while it is not for this node to do. */
  #turn: AbortController | undefined;
  #polling: Promise<void> = Promise.resolve();

  constructor(parts: FetchingParts) {
    this.#parts = parts;
  }

  begin(bot: Bot, hearing: Hearing): void {
    this.#known = { bot, hearing };
    this.#poll();
  }

  take(isOurs: boolean): void {
    if (isOurs === (this.#turn !== undefined)) return;
    this.#turn?.abort();
    this.#turn = isOurs ? new AbortController() : undefined;
    this.#poll();
  }

  /** Resolves when nothing of it is under way any more. */
  ended(): Promise<void> {
    return this.#polling;
  }

  #poll(): void {
    if (!this.#known || !this.#turn) return;
    const { api, clock, pollSeconds, onError } = this.#parts;
    const over = AbortSignal.any([this.#parts.over, this.#turn.signal]);
    const parts = { ...this.#known, api, pollSeconds, over, patience: new Patience(clock, over, onError) };
    // One after the other: what the one before still hears would be overtaken by what comes after it in the same chat.
    this.#polling = this.#polling.then(() => poll(parts)).catch(onError);
  }
}
