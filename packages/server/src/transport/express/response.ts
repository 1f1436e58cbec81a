import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Answer, type HeaderLine, headersOf } from "../envelope.ts";

/** Writes answers to a socket as Fastify and Node would: the same headers in the same order. */
export class Responses {
  readonly #now: () => number;
  readonly #lasting: string;
  /** Of every answer, after its status. */
  readonly #common: string;
  /** Up to the length of the body, by status. */
  readonly #starts = new Map<number, string>();
  #second = Number.NaN;
  /** What follows the length of the body: it changes once a second. */
  #end = "";

  constructor(keepAliveSeconds: number, common: readonly HeaderLine[], now: () => number) {
    this.#now = now;
    this.#common = linesOf(common);
    this.#lasting = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;
  }

  /** False when the other side takes less than it is given. After the last answer the connection is closed. */
  send(socket: Socket, answer: Answer, isLast: boolean): boolean {
    const body = JSON.stringify(answer.body);
    const bytes = Buffer.byteLength(body);
    const text = isLast
      ? `${this.#startOf(answer)}${bytes}${this.#endNow().replace(this.#lasting, "Connection: close\r\n\r\n")}${body}`
      : `${this.#startOf(answer)}${bytes}${this.#endNow()}${body}`;
    // As many bytes as characters: all of it is ASCII, which is cheaper to write.
    const wasTaken = socket.write(text, bytes === body.length ? "latin1" : "utf8");
    if (isLast) socket.destroySoon();
    return wasTaken;
  }

  #startOf(answer: Answer): string {
    const { status } = answer;
    const extra = headersOf(answer);
    if (extra.length > 0) return startWith(status, this.#common + linesOf(extra));
    let start = this.#starts.get(status);
    if (start === undefined) {
      start = startWith(status, this.#common);
      this.#starts.set(status, start);
    }
    return start;
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

function startWith(status: number, headers: string): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}content-type: application/json; charset=utf-8\r\ncontent-length: `;
}

function linesOf(headers: readonly HeaderLine[]): string {
  let text = "";
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
  return text;
}
