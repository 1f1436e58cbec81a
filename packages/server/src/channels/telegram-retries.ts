import type { Clock } from "../clock.ts";
import { Backoff } from "../host/outbox/backoff.ts";
import type { TelegramFault } from "./telegram-api.ts";

/** For errors that an operator has to fix first. */
const lastingRetryMs = 60_000;

interface PatienceDeps {
  readonly clock: Clock;
  readonly over: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Waits and retries until `over` is aborted. */
export class TelegramRetries {
  readonly #deps: PatienceDeps;

  constructor(deps: PatienceDeps) {
    this.#deps = deps;
  }

  pause(ms: number): Promise<void> {
    const { clock, over } = this.#deps;
    if (over.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        over.removeEventListener("abort", end);
        resolve();
      };
      const timer = clock.after(ms, end);
      over.addEventListener("abort", end);
    });
  }

  /** Retries until the call succeeds; undefined if it is aborted first. Reports each kind of error once. */
  async untilDone<T>(call: () => Promise<T>): Promise<T | undefined> {
    const { over, onError } = this.#deps;
    const reported = new Set<number | undefined>();
    const backoff = new Backoff();
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (over.aborted) return undefined;
        const fault = error as TelegramFault;
        if (!reported.has(fault.status)) onError(new Error(explain(fault)));
        reported.add(fault.status);
        await this.pause(fault.isLasting ? lastingRetryMs : (fault.afterMs ?? backoff.next()));
        if (over.aborted) return undefined;
      }
    }
  }
}

function explain({ status, isLasting, message }: TelegramFault): string {
  if (status === 401 || status === 404)
    return `Telegram rejects the bot token (${message}). Correct it; the server retries every minute.`;
  if (status === 409)
    return `Another program polls for the messages of this bot (${message}). Stop it; the server keeps retrying.`;
  return isLasting
    ? `Telegram rejects a request of the bot (${message}). The server retries every minute.`
    : `Telegram cannot be reached right now (${message}). The server keeps retrying.`;
}
