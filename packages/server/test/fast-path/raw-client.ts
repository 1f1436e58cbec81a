import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { within } from "../support/http.ts";

export interface RawAnswer {
  readonly status: number;
  /** The head without its Date and request id, which differ between responses. */
  readonly head: string;
  readonly body: string;
}

/** A connection on which a test controls every byte, and what is sent together. */
export class RawClient {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #isOver = false;
  #onNews = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#onNews();
    });
    const onOver = () => {
      this.#isOver = true;
      this.#onNews();
    };
    socket.on("error", () => {});
    socket.on("end", onOver);
    socket.on("close", onOver);
  }

  static async open(url: string): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    // Half-open, so that the server, not this side, is seen to end a connection.
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
    await within("a connection", once(socket, "connect"));
    return new RawClient(socket);
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** The next response on the connection. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const found = this.#takeAnswer();
      if (found) return found;
      if (this.#isOver) throw new Error(`no answer; the connection ended after: ${this.#received}`);
      await within("an answer", this.#news());
    }
  }

  /** The head of the next response, which has no body: the response to HEAD. */
  async head(): Promise<string> {
    for (;;) {
      const headEnd = this.#received.indexOf("\r\n\r\n");
      if (headEnd >= 0) {
        const head = this.#received.toString("latin1", 0, headEnd + 2);
        this.#received = this.#received.subarray(headEnd + 4);
        return head;
      }
      await within("a head", this.#news());
    }
  }

  async ask(bytes: string | Buffer): Promise<RawAnswer> {
    this.send(bytes);
    return this.answer();
  }

  /** The remaining data, once the server has ended the connection. */
  async rest(): Promise<string> {
    return (await this.everything()).replaceAll(datePattern, "");
  }

  /** The same with its dates and ids. */
  async everything(): Promise<string> {
    while (!this.#isOver) await within("the end of the connection", this.#news());
    const rest = this.#received.toString("latin1");
    this.#received = Buffer.alloc(0);
    return rest;
  }

  close(): void {
    this.socket.destroy();
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNews = resolve;
    });
  }

  #takeAnswer(): RawAnswer | undefined {
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (headEnd < 0) return undefined;
    const head = this.#received.toString("latin1", 0, headEnd + 2);
    const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0);
    const end = headEnd + 4 + length;
    if (this.#received.length < end) return undefined;
    const body = this.#received.toString("utf8", headEnd + 4, end);
    this.#received = this.#received.subarray(end);
    return { status: Number(head.slice(9, 12)), head: head.replace(datePattern, ""), body };
  }
}

const datePattern = /^(?:Date|x-request-id): .*\r\n/gm;

/** A request as text: its first line, its headers, its body. */
export function requestText(line: string, headers: readonly string[] = [], body = ""): string {
  return [`${line} HTTP/1.1`, "Host: test", ...headers, "", body].join("\r\n");
}
