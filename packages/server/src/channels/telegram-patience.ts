import type { Clock } from "../clock.ts";
import { Backoff } from "../host/outbox/backoff.ts";
import type { TelegramFault } from "./telegram-api.ts";

/** For what somebody has to set right first. */
const lastingRetryMs = 60_000;

/** Waiting, and trying again, until all is over. */
export class Patience {
  readonly #clock: Clock;
  readonly #over: AbortSignal;
  readonly #onError: (error: unknown) => void;

  constructor(clock: Clock, over: AbortSignal, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#over = over;
    this.#onError = onError;
  }

  /** For so long, unless all is over before. */
  pause(ms: number): Promise<void> {
    if (this.#over.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        this.#over.removeEventListener("abort", end);
        resolve();
      };
      const timer = this.#clock.after(ms, end);
      this.#over.addEventListener("abort", end);
    });
  }

  /** What the call comes to in the end; undefined when all is over before. Each kind of fault is told once. */
  async insist<T>(call: () => Promise<T>): Promise<T | undefined> {
    const told = new Set<number | undefined>();
    const backoff = new Backoff();
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (this.#over.aborted) return undefined;
        const fault = error as TelegramFault;
        if (!told.has(fault.status)) this.#onError(new Error(explain(fault)));
        told.add(fault.status);
        await this.pause(fault.isLasting ? lastingRetryMs : (fault.afterMs ?? backoff.next()));
        if (this.#over.aborted) return undefined;
      }
    }
  }
}

function explain({ status, isLasting, message }: TelegramFault): string {
  if (status === 401 || status === 404)
    return `Telegram does not know the token of the bot (${message}). It has to be set right; it is tried again every minute.`;
  if (status === 409)
    return `Somebody else fetches the messages of this bot (${message}). It is tried again until nobody does.`;
  return isLasting
    ? `Telegram refuses what the bot asks for (${message}). It is tried again every minute.`
    : `Telegram cannot be asked just now (${message}). It is tried again.`;
}
