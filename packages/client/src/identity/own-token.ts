import { OpenseatError } from "../errors.ts";
import type { Clock } from "../platform.ts";

/** The application's own token, or a function that gets one. The function is called again when the server refuses the token. */
export type TokenSource = string | (() => string | Promise<string>);

/** Limits calls after a failure, because a site that signs invalid tokens would be asked for new ones forever. */
export const renewEveryMs = 60_000;
/** Requests wait for the token, so a function that never answers must not block them. */
const answerMsMax = 10_000;

/** The token of an application that has its own issuer. */
export class OwnToken {
  readonly #source: TokenSource;
  readonly #clock: Clock;
  /** Called with each token of the function, before the waiting requests continue. */
  readonly #onToken: () => void;
  #token: string | undefined;
  #asking: Promise<string> | undefined;
  #replacedAt = Number.NEGATIVE_INFINITY;
  #failure: { readonly error: OpenseatError; readonly at: number } | undefined;
  /** Whether the server has accepted the current token: then it expired, and the function is not to blame. */
  #hasWorked = false;

  constructor(source: TokenSource, clock: Clock, onToken: () => void) {
    this.#source = source;
    this.#clock = clock;
    this.#onToken = onToken;
    if (typeof source === "string") this.#token = source;
  }

  /** The last known token; undefined before the function was called. */
  get current(): string | undefined {
    return this.#token;
  }

  get canChange(): boolean {
    return typeof this.#source === "function";
  }

  async get(): Promise<string> {
    return this.#token ?? this.#ask();
  }

  /** The server has accepted this token. */
  confirm(token: string): void {
    if (token === this.#token) this.#hasWorked = true;
  }

  /** After the server refused a token: returns whether there is another one to try. */
  async replace(refused: string): Promise<boolean> {
    if (!this.canChange) return false;
    if (this.#token !== refused) return true;
    const now = this.#clock.now();
    if (!this.#asking) {
      if (!this.#hasWorked && now - this.#replacedAt < renewEveryMs) return false;
      this.#replacedAt = now;
    }
    return (await this.#ask()) !== refused;
  }

  /** Concurrent calls share one call of the function. */
  #ask(): Promise<string> {
    this.#asking ??= this.#renew().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #renew(): Promise<string> {
    const now = this.#clock.now();
    if (this.#failure && now - this.#failure.at < renewEveryMs) throw this.#failure.error;
    try {
      this.#token = await this.#call();
    } catch (error) {
      this.#failure = { error: noToken(error), at: now };
      throw this.#failure.error;
    }
    this.#failure = undefined;
    this.#hasWorked = false;
    this.#onToken();
    return this.#token;
  }

  async #call(): Promise<string> {
    let cancel = () => {};
    const timeout = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(answerMsMax, () => reject(new Error("it did not answer in time")));
    });
    try {
      const token: unknown = await Promise.race([(this.#source as () => unknown)(), timeout]);
      if (typeof token !== "string" || token === "") throw new Error("it returned no token");
      return token;
    } finally {
      cancel();
    }
  }
}

function noToken(error: unknown): OpenseatError {
  const why = (error as { message?: string } | undefined)?.message || "it threw an error";
  return new OpenseatError("client.no-token", `The function that gets the token failed: ${why}.`, {
    retryable: true,
  });
}
