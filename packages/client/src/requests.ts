import type { Http, HttpRequest } from "./http/http.ts";
import type { Identity } from "./identity/identity.ts";
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
    return this.#send({ method: "GET", path, query }, () => this.#identity.token());
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

  async #send<Data>(request: HttpRequest, tokenFor: () => Promise<string | undefined>): Promise<Data> {
    this.#identity.syncPerson();
    const token = await tokenFor();
    try {
      return await this.#sendWith(token, request);
    } catch (error) {
      if (!(await this.#identity.replaceAfter(error, token))) throw error;
      return this.#sendWith(await tokenFor(), request);
    }
  }

  async #sendWith<Data>(token: string | undefined, request: HttpRequest): Promise<Data> {
    const data = await this.#http.request<Data>({ ...request, token });
    this.#identity.confirm(token);
    return data;
  }
}
