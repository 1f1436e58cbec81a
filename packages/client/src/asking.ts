import type { Http, HttpRequest } from "./http/http.ts";
import type { Identity } from "./identity.ts";
import { newKey } from "./platform.ts";

/** Asks as whoever this client is. */
export class Asking {
  readonly #http: Http;
  readonly #identity: Identity;

  constructor(http: Http, identity: Identity) {
    this.#http = http;
    this.#identity = identity;
  }

  /** Changes nothing. Open to nobody in particular where the server allows it. */
  look<Data>(path: string, query?: HttpRequest["query"]): Promise<Data> {
    return this.#ask({ method: "GET", path, query }, () => this.#identity.token);
  }

  /** Only for somebody; with a key, so that asking twice is doing once. */
  change<Data>(path: string, body?: unknown, method: "POST" | "PUT" = "POST"): Promise<Data> {
    const request = { method, path, body, key: newKey() };
    return this.#ask(request, () => this.#identity.tokenOfSomebody());
  }

  /** The text of a CSV file, as it is. */
  upload<Data>(path: string, csv: string): Promise<Data> {
    const request = { method: "POST", path, csv, key: newKey() } as const;
    return this.#ask(request, () => this.#identity.tokenOfSomebody());
  }

  /** Changes nothing, and only somebody can ask. */
  lookAsSomebody<Data>(path: string): Promise<Data> {
    return this.#ask({ method: "GET", path }, () => this.#identity.tokenOfSomebody());
  }

  /** For what only somebody can do, and no request says who does it. */
  async becomeSomebody(): Promise<void> {
    await this.#identity.tokenOfSomebody();
  }

  async #ask<Data>(
    request: HttpRequest,
    tokenFor: () => string | undefined | Promise<string>,
  ): Promise<Data> {
    this.#identity.lookAgain();
    const token = await tokenFor();
    try {
      return await this.#http.request({ ...request, token });
    } catch (error) {
      if (!(await this.#identity.replaceAfter(error, token))) throw error;
      return this.#http.request({ ...request, token: await tokenFor() });
    }
  }
}
