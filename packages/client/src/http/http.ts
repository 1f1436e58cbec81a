import { busy, closed, OpenseatError, refusalIn, unreachable } from "../errors.ts";
import type { Clock, Fetch, FetchAnswer } from "../platform.ts";
import { pauseMs } from "./retry.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly csv?: string | undefined;
  readonly token?: string | undefined;
  /** The idempotency key, so that a retry does not take effect twice. */
  readonly key?: string | undefined;
}

export interface HttpDeps {
  readonly url: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
}

const limits = {
  /** Pending requests; above it, the client refuses more. */
  requestsMax: 1_000,
  /** The timeout of one attempt; then the request is retried. */
  attemptMsMax: 10_000,
  /** The timeout of all attempts together. */
  patienceMsMax: 30_000,
  answerLengthMax: 16_777_216,
} as const;

/** Sends requests with retries and timeouts. Every failure is an `OpenseatError`. */
export class Http {
  readonly #deps: HttpDeps;
  /** Cancels the pending attempts and pauses when the client closes. */
  readonly #underWay = new Set<() => void>();
  #requests = 0;
  #isClosed = false;

  constructor(deps: HttpDeps) {
    this.#deps = deps;
  }

  async request<Data>(request: HttpRequest): Promise<Data> {
    if (this.#requests >= limits.requestsMax) throw busy("requests");
    this.#requests++;
    try {
      return (await this.#persist(request)) as Data;
    } finally {
      this.#requests--;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#underWay]) end();
  }

  async #persist(request: HttpRequest): Promise<unknown> {
    const { clock, random } = this.#deps;
    const deadline = clock.now() + limits.patienceMsMax;
    for (let failures = 0; ; failures++) {
      try {
        return await this.#attempt(request);
      } catch (error) {
        if (!(error instanceof OpenseatError && error.retryable)) throw error;
        const wait = Math.max(error.retryAfterMs ?? 0, pauseMs(failures, random));
        if (clock.now() + wait > deadline) throw error;
        await this.#pause(wait);
      }
    }
  }

  async #attempt(request: HttpRequest): Promise<unknown> {
    if (this.#isClosed) throw closed();
    const abort = new AbortController();
    const end = () => abort.abort();
    const cancelTimeout = this.#deps.clock.after(limits.attemptMsMax, end);
    this.#underWay.add(end);
    try {
      const answer = await this.#fetch(request, abort.signal);
      return dataIn(answer, await textOf(answer));
    } catch (error) {
      if (error instanceof OpenseatError) throw error;
      if (this.#isClosed) throw closed();
      throw unreachable(
        abort.signal.aborted ? "it did not answer in time" : `${reasonOf(error)}${inBrowser()}`,
      );
    } finally {
      cancelTimeout();
      this.#underWay.delete(end);
    }
  }

  #fetch(request: HttpRequest, signal: AbortSignal): Promise<FetchAnswer> {
    const { method, path, query, body, csv, token, key } = request;
    const headers: Record<string, string> = { accept: "application/json" };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (key !== undefined) headers["idempotency-key"] = key;
    if (body !== undefined) headers["content-type"] = "application/json";
    if (csv !== undefined) headers["content-type"] = "text/csv";
    return this.#deps.fetch(`${this.#deps.url}${path}${queryOf(query)}`, {
      method,
      headers,
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(csv !== undefined && { body: csv }),
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        cancel();
        this.#underWay.delete(end);
        reject(closed());
      };
      const cancel = this.#deps.clock.after(ms, () => {
        this.#underWay.delete(end);
        resolve();
      });
      this.#underWay.add(end);
    });
  }
}

function queryOf(query: HttpRequest["query"]): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "";
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")}`;
}

async function textOf(answer: FetchAnswer): Promise<string> {
  const unreadable = new OpenseatError("client.unreadable", "The server's answer is too long.", {
    status: answer.status,
  });
  if (Number(answer.headers.get("content-length")) > limits.answerLengthMax) throw unreadable;
  const text = await answer.text();
  if (text.length > limits.answerLengthMax) throw unreadable;
  return text;
}

/** The data of a successful response; throws otherwise. */
function dataIn({ status, headers }: FetchAnswer, text: string): unknown {
  const body = parsed(text);
  if ((body as { success?: unknown } | undefined)?.success === true) return (body as { data: unknown }).data;
  const refusal = refusalIn(body, status, retryAfterMsOf(headers.get("retry-after")));
  if (refusal) throw refusal;
  // A proxy answered because the server is down.
  if (status >= 502 && status <= 504) throw unreachable(`a proxy answered ${status}`);
  throw new OpenseatError(
    "client.unreadable",
    `The answer is not from Openseat (status ${status}). Check the url.`,
    {
      status,
    },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryAfterMsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : undefined;
}

/** Browsers do not say whether the network failed or the server does not allow the page. */
function inBrowser(): string {
  return typeof document === "undefined" ? "" : ", or it does not allow this page's origin";
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message || message || "the request failed";
}
