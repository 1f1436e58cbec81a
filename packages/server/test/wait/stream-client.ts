import { type ClientRequest, get, type IncomingMessage } from "node:http";
import type { Browser } from "../support/browser.ts";
import { type Json, within } from "../support/http.ts";

interface StreamEvent {
  readonly event: string;
  readonly data: Json;
}

/** The event stream of a place, as this browser's page opens it. */
export class StreamClient {
  readonly received: StreamEvent[] = [];
  readonly response: IncomingMessage;
  readonly #request: ClientRequest;
  readonly #waiting = new Set<() => void>();

  private constructor(asking: ClientRequest, response: IncomingMessage) {
    this.#request = asking;
    this.response = response;
    let text = "";
    response.on("error", () => {});
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      const events = (text + chunk).split("\n\n");
      text = events.pop()!;
      for (const event of events) this.#take(event);
    });
  }

  /** Rejects with the status if the server does not open a stream. */
  static open(url: string, browser: Browser, queue: string, base = ""): Promise<StreamClient> {
    const path = `${base}/wait/${queue}/events`;
    const headers = { cookie: browser.cookiesFor(path) };
    return within(
      "the event stream",
      new Promise((resolve, reject) => {
        const asking = get(url + path, { headers, agent: false });
        asking.on("error", reject);
        asking.on("response", (response) => {
          if (response.statusCode === 200) resolve(new StreamClient(asking, response));
          else {
            asking.destroy();
            reject(new Error(`status ${response.statusCode}`));
          }
        });
      }),
    );
  }

  #take(text: string): void {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(text) ?? [];
    if (event === undefined) return;
    this.received.push({ event, data: JSON.parse(data) });
    for (const check of [...this.#waiting]) check();
  }

  /** The first matching event, received already or later. */
  first(event: string, fits: (data: Json) => boolean = () => true): Promise<Json> {
    return within(
      `a ${event}; there came ${JSON.stringify(this.received)}`,
      new Promise((resolve) => {
        const check = () => {
          const found = this.received.find((it) => it.event === event && fits(it.data));
          if (!found) return;
          this.#waiting.delete(check);
          resolve(found.data);
        };
        this.#waiting.add(check);
        check();
      }),
    );
  }

  ended(): Promise<void> {
    if (this.response.closed) return Promise.resolve();
    return within("the end of the stream", new Promise((resolve) => this.response.once("close", resolve)));
  }

  close(): void {
    this.#request.destroy();
  }
}
