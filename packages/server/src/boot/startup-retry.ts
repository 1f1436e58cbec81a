import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config/settings.ts";
import { refusalFor } from "../host/failures.ts";
import { LogUnavailable } from "../log/log.ts";
import { type Ingress, type Meanwhile, ownPort } from "../transport/http/connections/ingress.ts";
import type { Ports } from "../transport/http/waiting-server.ts";

const retryMs = 500;
/** After this time the port is opened: otherwise a supervisor would consider the process dead. */
const unseenMs = 1_000;

/** Called once per reason why the start has to wait, with the URL that answers meanwhile. */
export type OnWaiting = (reason: string, url: string) => void;

interface WaitingOptions {
  readonly ingress?: Ingress;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** CL4: retries the start until the database is available. Meanwhile a small server on the port says why. */
export class Waiting {
  readonly #config: Config;
  readonly #onWaiting: OnWaiting;
  readonly #ingress: Ingress;
  readonly #signal: AbortSignal | undefined;
  #server: Promise<Meanwhile> | undefined;
  #failure = new LogUnavailable("The database has not answered yet.");

  constructor(
    config: Config,
    onWaiting: OnWaiting,
    { ingress = ownPort(config), signal }: WaitingOptions = {},
  ) {
    this.#config = config;
    this.#onWaiting = onWaiting;
    this.#ingress = ingress;
    this.#signal = signal;
  }

  /** Retries `make` while the log is unavailable. Throws any other error. */
  async until<Made>(make: () => Promise<Made>): Promise<Made> {
    // An unusable data folder does not recover by itself.
    if (this.#config.databaseUrl === undefined) return make();
    for (;;) {
      const slow = setTimeout(() => void this.#wait(this.#failure).catch(() => {}), unseenMs);
      try {
        return await make();
      } catch (error) {
        if (!(error instanceof LogUnavailable)) {
          await this.end();
          throw error;
        }
        await this.#wait(error);
      } finally {
        clearTimeout(slow);
      }
      await sleep(retryMs, undefined, { signal: this.#signal }).catch(() => {});
      if (this.#signal?.aborted) {
        await this.end();
        throw this.#signal.reason;
      }
    }
  }

  /** Frees the ports for the real server, and returns their numbers. */
  async end(): Promise<Ports> {
    const server = await this.#server;
    await server?.close();
    return server?.ports ?? this.#config;
  }

  async #wait(failure: LogUnavailable): Promise<void> {
    const isNews = this.#server === undefined || failure.detail !== this.#failure.detail;
    this.#failure = failure;
    this.#server ??= this.#ingress.wait(refusalFor(failure), () => this.#failure.message);
    const { url } = await this.#server;
    if (isNews) this.#onWaiting(failure.detail, url);
  }
}
