import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Answer, type HeaderLine, headersOf } from "../envelope.ts";

/** Writes answers to a socket as Fastify and Node would: the same headers in the same order. */
export class Responses {
  readonly #now: () => number;
  readonly #lasting: string;
  /** Of every answer, between the id of its request and what is its own. */
  readonly #common: string;
  /** Both of most answers, which have nothing of their own: one text is cheaper to put together than three. */
  readonly #usual: string;
  readonly #basePath: string;
  #second = Number.NaN;
  /** What follows the length of the body: it changes once a second. */
  #end = "";

  constructor(keepAliveSeconds: number, common: readonly HeaderLine[], basePath: string, now: () => number) {
    this.#now = now;
    this.#basePath = basePath;
    this.#common = linesOf(common);
    this.#usual = this.#common + typeAndLength;
    this.#lasting = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;
  }

  /** False when the other side takes less than it is given. After the last answer the connection is closed. */
  send(socket: Socket, answer: Answer, requestId: string, isLast: boolean): boolean {
    const body = JSON.stringify(answer.body);
    const bytes = Buffer.byteLength(body);
    const end = isLast ? this.#endNow().replace(this.#lasting, "Connection: close\r\n\r\n") : this.#endNow();
    const headers = headersOf(answer, this.#basePath);
    const lines = headers.length === 0 ? this.#usual : this.#common + linesOf(headers) + typeAndLength;
    const text = `${startOf(answer.status)}${requestId}${lines}${bytes}${end}${body}`;
    // As many bytes as characters: all of it is ASCII, which is cheaper to write.
    const wasTaken = socket.write(text, bytes === body.length ? "latin1" : "utf8");
    if (isLast) socket.destroySoon();
    return wasTaken;
  }

  #endNow(): string {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#end = `\r\nDate: ${new Date(second * 1000).toUTCString()}\r\n${this.#lasting}`;
    }
    return this.#end;
  }
}

const starts = new Map<number, string>();

/** Up to the id of the request. */
function startOf(status: number): string {
  let start = starts.get(status);
  if (start === undefined) {
    start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nx-request-id: `;
    starts.set(status, start);
  }
  return start;
}

/** Between all other headers and the length of the body. */
const typeAndLength = "\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ";

/** Each after the end of the line before it. */
function linesOf(headers: readonly HeaderLine[]): string {
  let text = "";
  for (const [name, value] of headers) text += `\r\n${name}: ${value}`;
  return text;
}
