import assert from "node:assert/strict";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { waitMsMax } from "./patience.ts";
import { tokenOf } from "./tokens.ts";

// biome-ignore lint/suspicious/noExplicitAny: the bodies of answers are what the tests are there to check
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: Json;
}

export interface Call {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly key?: string | undefined;
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly rawBody?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Timeout for the answer. */
  readonly timeoutMs?: number;
}

/** Plain HTTP over persistent connections, like a crowd behind a few proxies. */
export class Client {
  readonly #agent: Agent;
  readonly #url: string;

  constructor(url: string, socketsMax = 64) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: socketsMax });
  }

  call(path: string, call: Call = {}): Promise<Answer> {
    const { method = "GET", token, key, body, rawBody, headers, timeoutMs = waitMsMax } = call;
    const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.#url);
      // Do not use URL: it would correct what a test sends wrong on purpose.
      const asking = request({ hostname, port, path, method, agent: this.#agent, timeout: timeoutMs });
      if (token !== undefined) asking.setHeader("authorization", `Bearer ${token}`);
      if (key !== undefined) asking.setHeader("idempotency-key", key);
      if (payload !== undefined) asking.setHeader("content-type", "application/json");
      if (payload !== undefined) asking.setHeader("content-length", Buffer.byteLength(payload));
      for (const [name, value] of Object.entries(headers ?? {})) asking.setHeader(name, value);
      asking.on("error", reject);
      asking.on("timeout", () => asking.destroy(new Error(`no answer to ${method} ${path} in time`)));
      asking.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const { statusCode, headers } = response;
          resolve({ status: statusCode ?? 0, headers, text, body: parsed(text) });
        });
      });
      asking.end(payload);
    });
  }

  get(path: string, call: Call = {}): Promise<Answer> {
    return this.call(path, call);
  }

  post(path: string, call: Call = {}): Promise<Answer> {
    return this.call(path, { ...call, method: "POST" });
  }

  /** The id of a game created by `creator`. */
  async newGame(fields: Readonly<Record<string, unknown>> = {}, creator = "creator"): Promise<string> {
    const body = { title: "A game", maxPlayers: 4, ...fields };
    const answer = await this.post("/api/v1/games", { token: tokenOf(creator), body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.data.game.id;
  }

  join(game: string, person: string, key?: string): Promise<Answer> {
    return this.post(`/api/v1/games/${game}/join`, { token: tokenOf(person), key });
  }

  leave(game: string, person: string, key?: string): Promise<Answer> {
    return this.post(`/api/v1/games/${game}/leave`, { token: tokenOf(person), key });
  }

  end(game: string, person = "creator", key?: string): Promise<Answer> {
    return this.post(`/api/v1/games/${game}/end`, { token: tokenOf(person), key });
  }

  async canJoin(game: string, person: string): Promise<Json> {
    const answer = await this.get(`/api/v1/games/${game}/can-join`, { token: tokenOf(person) });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  /** The public view of the game, with its version. */
  async look(game: string): Promise<Json> {
    const answer = await this.get(`/api/v1/games/${game}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  /** All participants, page by page. */
  async participants(game: string, limit = 500): Promise<Json[]> {
    const all: Json[] = [];
    let cursor: string | null = "0";
    while (cursor !== null) {
      const answer = await this.get(`/api/v1/games/${game}/participants?cursor=${cursor}&limit=${limit}`);
      assert.equal(answer.status, 200, answer.text);
      all.push(...answer.body.data.participants);
      cursor = answer.body.data.nextCursor;
    }
    return all;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asserts the shape that all refusals have. */
export function assertRefused(answer: Answer, status: number, code: string, what = ""): void {
  const about = `${what} ${answer.status} ${answer.text}`;
  assert.equal(answer.status, status, about);
  assert.match(String(answer.headers["content-type"]), /^application\/json/, about);
  assert.equal(answer.body?.success, false, about);
  assert.equal(answer.body.statusCode, status, about);
  assert.equal(answer.body.code, code, about);
  assert.ok(typeof answer.body.message === "string" && answer.body.message !== "", about);
  if (status === 503 || status === 429) assert.match(String(answer.headers["retry-after"]), /^\d+$/, about);
}

/** Asserts a refusal as invalid input that names the field. */
export function assertInvalid(answer: Answer, field: string, what = ""): void {
  assertRefused(answer, 400, "input.invalid", what);
  assert.equal(answer.body.data?.field, field, `${what} ${answer.text}`);
}

/** Runs `work` for each of `items` with this concurrency. */
export async function eachOf<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const lanes = Array.from({ length: Math.min(atOnce, items.length) }, async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index], index);
    }
  });
  await Promise.all(lanes);
  return results;
}

export const range = (length: number) => Array.from({ length }, (_, index) => index);

/** Sends bytes to the server and returns its output until it closes, or until `enough`. */
export function sayRaw(
  url: string,
  bytes: string | Buffer,
  enough: (received: string) => boolean = () => false,
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const done = () => {
      clearTimeout(limit);
      socket.destroy();
      resolve(received);
    };
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the server neither answered nor closed; it said: ${received}`));
    }, waitMsMax);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (enough(received)) done();
    });
    socket.on("error", done);
    socket.on("close", done);
  });
}

/** Waits for something that must happen, and says what was missing if it did not. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  msMax = waitMsMax,
): Promise<T> {
  const deadline = Date.now() + msMax;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The promise, or an error that says what did not arrive. */
export async function within<T>(what: string, promise: Promise<T>, msMax = waitMsMax): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), msMax);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The value of a gauge or counter of /metrics. */
export async function metric(client: Client, name: string): Promise<number> {
  const { text } = await client.get("/metrics");
  const line = text.split("\n").find((it) => it.startsWith(`${name} `) || it.startsWith(`${name}{`));
  assert.ok(line, `no metric ${name}`);
  return Number(line.slice(line.lastIndexOf(" ") + 1));
}
