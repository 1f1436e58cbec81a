import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Answer, headersOf } from "../envelope.ts";
import { blockOf } from "../headers/header-block.ts";

/** Writes responses to a socket as Fastify and Node would: the same headers in the same order. */
export class Responses {
  readonly #now: () => number;
  readonly #lasting: string;
  readonly #basePath: string;
  #second = Number.NaN;
  /** The text after the length of the body. It changes once per second. */
  #end = "";

  constructor(keepAliveTimeoutMs: number, basePath: string, now: () => number) {
    this.#now = now;
    this.#basePath = basePath;
    const seconds = Math.floor(keepAliveTimeoutMs / 1000);
    this.#lasting = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
  }

  /** False if the socket's buffer is full. The connection is closed after the last response. */
  send(socket: Socket, answer: Answer, heading: string, isLast: boolean): boolean {
    const body = JSON.stringify(answer.body);
    const bytes = Buffer.byteLength(body);
    const end = isLast ? this.#endNow().replace(this.#lasting, "Connection: close\r\n\r\n") : this.#endNow();
    const own = headersOf(answer, this.#basePath);
    const lines = own.length === 0 ? heading : heading + blockOf(own).text;
    const text = `${startOf(answer.status)}${lines}${typeAndLength}${bytes}${end}${body}`;
    // If there are as many bytes as characters, all of it is ASCII, which is cheaper to write.
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

function startOf(status: number): string {
  let start = starts.get(status);
  if (start === undefined) {
    start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
    starts.set(status, start);
  }
  return start;
}

/** Between all other headers and the length of the body. */
const typeAndLength = "\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ";
