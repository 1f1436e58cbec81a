import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { type Json, within } from "../support/http.ts";

/** Received messages, awaited one by one. */
class Inbox {
  readonly all: Json[] = [];
  readonly #waiting = new Set<() => void>();

  push(message: Json): void {
    this.all.push(message);
    this.wake();
  }

  wake(): void {
    for (const check of [...this.#waiting]) check();
  }

  /** The first matching message, received already or later. */
  first(what: string, fits: (message: Json) => boolean): Promise<Json> {
    return within(
      `${what}; there came ${JSON.stringify(this.all.slice(-5))}`,
      new Promise((resolve) => {
        const check = () => {
          const found = this.all.find(fits);
          if (found === undefined) return;
          this.#waiting.delete(check);
          resolve(found);
        };
        this.#waiting.add(check);
        check();
      }),
    );
  }
}

/** The common part of both kinds of connection: views and changes of games. */
export interface Watching {
  readonly feed: Json[];
  /** Waits for the message at this version. */
  at(version: number): Promise<Json>;
  close(): void;
}

/** A client on the WebSocket. */
export class LiveClient implements Watching {
  readonly socket: WebSocket;
  readonly #inbox = new Inbox();
  /** Far from the ids that tests choose by hand. */
  #id = 1_000_000;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.#inbox.push(JSON.parse(String(data))));
    socket.on("error", () => {});
  }

  /** Rejects with the status if the server does not open a connection. */
  static async open(
    url: string,
    { token, headers }: { token?: string; headers?: Record<string, string> } = {},
  ): Promise<LiveClient> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/live`, {
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    });
    const client = new LiveClient(socket);
    await within(
      "the live connection",
      new Promise<void>((resolve, reject) => {
        socket.once("open", resolve);
        socket.once("error", reject);
      }),
    );
    return client;
  }

  get received(): Json[] {
    return this.#inbox.all;
  }

  get feed(): Json[] {
    return this.received.filter(({ type }) => type !== "answer");
  }

  /** Sends a message with its own id; resolves with its response. */
  ask(message: Readonly<Record<string, unknown>>): Promise<Json> {
    const id = ++this.#id;
    this.socket.send(JSON.stringify({ id, ...message }));
    return this.answerTo(id);
  }

  answerTo(id: number | null): Promise<Json> {
    return this.#inbox.first(`the answer to ${id}`, (it) => it.type === "answer" && it.id === id);
  }

  at(version: number, game?: string): Promise<Json> {
    return this.#inbox.first(
      `version ${version}`,
      (it) => it.type !== "answer" && it.version === version && (game === undefined || idOf(it) === game),
    );
  }

  closed(): Promise<number> {
    if (this.socket.readyState === this.socket.CLOSED) return Promise.resolve(-1);
    return within("the close", new Promise((resolve) => this.socket.once("close", resolve)));
  }

  close(): void {
    this.socket.terminate();
  }
}

export function idOf(message: Json): string {
  return typeof message.game === "string" ? message.game : message.game.id;
}

interface EventOptions {
  readonly kind?: "game" | "arena" | "ladder" | "queue" | "conversation";
  readonly token?: string;
  readonly after?: number;
  readonly lastEventId?: number;
}

/** A client on server-sent events. */
export class EventClient implements Watching {
  readonly response: IncomingMessage;
  readonly #request: ClientRequest;
  readonly #inbox = new Inbox();
  readonly ids: number[] = [];
  readonly names: string[] = [];

  private constructor(asking: ClientRequest, response: IncomingMessage) {
    this.#request = asking;
    this.response = response;
    let text = "";
    response.on("error", () => {});
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
      const events = text.split("\n\n");
      text = events.pop()!;
      for (const event of events) this.#take(event);
    });
  }

  #take(event: string): void {
    const fields = new Map(
      event.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    const data = fields.get("data");
    if (data === undefined) return;
    this.ids.push(Number(fields.get("id")));
    this.names.push(fields.get("event")!);
    this.#inbox.push(JSON.parse(data));
  }

  static open(
    url: string,
    room: string,
    { kind = "game", token, after, lastEventId }: EventOptions = {},
  ): Promise<EventClient> {
    const query = after === undefined ? "" : `?after=${after}`;
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(lastEventId !== undefined && { "last-event-id": String(lastEventId) }),
    };
    return within(
      "the event stream",
      new Promise((resolve, reject) => {
        const asking = get(`${url}/api/v1/${kind}s/${room}/events${query}`, { headers, agent: false });
        asking.on("error", reject);
        asking.on("response", (response) => {
          if (response.statusCode === 200) resolve(new EventClient(asking, response));
          else {
            asking.destroy();
            reject(new Error(`status ${response.statusCode}`));
          }
        });
      }),
    );
  }

  get feed(): Json[] {
    return this.#inbox.all;
  }

  at(version: number): Promise<Json> {
    return this.#inbox.first(`version ${version}`, (it) => it.version === version);
  }

  ended(): Promise<void> {
    return within("the end of the stream", new Promise((resolve) => this.response.once("close", resolve)));
  }

  close(): void {
    this.#request.destroy();
  }
}
