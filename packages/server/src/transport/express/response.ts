import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Answer, headersOf } from "../envelope.ts";

/** Writes answers to a socket as Fastify and Node would: the same headers in the same order. */
export class Responses {
  readonly #now: () => number;
  readonly #lasting: string;
  readonly #statusLines = new Map<number, string>();
  #second = Number.NaN;
  #date = "";

  constructor(keepAliveSeconds: number, now: () => number) {
    this.#now = now;
    this.#lasting = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;
  }

  /** False when the other side takes less than it is given. After the last answer the connection is closed. */
  send(socket: Socket, answer: Answer, isLast: boolean): boolean {
    const body = JSON.stringify(answer.body);
    const bytes = Buffer.byteLength(body);
    const text =
      this.#statusLine(answer.status) +
      extraHeaders(answer) +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${bytes}\r\n` +
      this.#dateLine() +
      (isLast ? "Connection: close\r\n\r\n" : this.#lasting) +
      body;
    // As many bytes as characters: all of it is ASCII, which is cheaper to write.
    const wasTaken = socket.write(text, bytes === body.length ? "latin1" : "utf8");
    if (isLast) socket.destroySoon();
    return wasTaken;
  }

  #statusLine(status: number): string {
    let line = this.#statusLines.get(status);
    if (line === undefined) {
      line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
      this.#statusLines.set(status, line);
    }
    return line;
  }

  #dateLine(): string {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
    }
    return this.#date;
  }
}

function extraHeaders(answer: Answer): string {
  let text = "";
  for (const [name, value] of headersOf(answer)) text += `${name}: ${value}\r\n`;
  return text;
}
