import type { Http, HttpRequest } from "./http/http.ts";
import type { Identity } from "./identity.ts";
import { newKey } from "./platform.ts";

/** Sends requests as this client's person. */
export class Requests {
  readonly #http: Http;
  readonly #identity: Identity;

  constructor(http: Http, identity: Identity) {
    this.#http = http;
    this.#identity = identity;
  }

  /** Reads. Works without a person where the server allows it. */
  read<Data>(path: string, query?: HttpRequest["query"]): Promise<Data> {
    return this.#send({ method: "GET", path, query }, () => this.#identity.token);
  }

  /** Writes, as a person. The idempotency key makes a repeated request take effect once. */
  write<Data>(
    path: string,
    body?: unknown,
    method: "POST" | "PUT" | "PATCH" | "DELETE" = "POST",
  ): Promise<Data> {
    const request = { method, path, body, key: newKey() };
    return this.#send(request, () => this.#identity.personToken());
  }

  /** Uploads the text of a CSV file. */
  upload<Data>(path: string, csv: string): Promise<Data> {
    const request = { method: "POST", path, csv, key: newKey() } as const;
    return this.#send(request, () => this.#identity.personToken());
  }

  /** Reads what only a person can read. */
  readAsPerson<Data>(path: string): Promise<Data> {
    return this.#send({ method: "GET", path }, () => this.#identity.personToken());
  }

  /** Makes sure that this client is a person, for operations without a request of their own. */
  async ensurePerson(): Promise<void> {
    await this.#identity.personToken();
  }

  async #send<Data>(
    request: HttpRequest,
    tokenFor: () => string | undefined | Promise<string>,
  ): Promise<Data> {
    this.#identity.syncPerson();
    const token = await tokenFor();
    try {
      return await this.#http.request({ ...request, token });
    } catch (error) {
      if (!(await this.#identity.replaceAfter(error, token))) throw error;
      return this.#http.request({ ...request, token: await tokenFor() });
    }
  }
}
