import { connect, type Socket } from "node:net";
import type { Address } from "../../load.ts";
import { ResponseSplitter } from "../../response-splitter.ts";

const readBufferBytes = 64 * 1024;

// Shared by all connections: each read is processed before the next.
const readBuffer = Buffer.allocUnsafeSlow(readBufferBytes);

export type ConnectionEvents = {
  opened(): void;
  /** `waitedMs` is the time since the request was sent. */
  answered(status: number, waitedMs: number): void;
  /** The connection ended or could not be opened. Called once. */
  closed(error: Error | undefined): void;
};

/** Requests sent at the same time. */
type Sent = { readonly atMs: number; left: number };

/** A raw connection with any number of requests under way, at almost no cost to the attacker. */
export class PipelinedConnection {
  /** Requests sent and not yet answered. */
  unanswered = 0;
  isOpen = false;
  readonly #socket: Socket;
  /** Sent requests in the order of their answers; the oldest is at `#oldest`. */
  #sent: Sent[] = [];
  #oldest = 0;

  constructor(target: Address, events: ConnectionEvents) {
    const splitter = new ResponseSplitter((status) => {
      this.unanswered--;
      events.answered(status, this.#waitedMs());
    });
    const receive = (length: number): boolean => {
      try {
        splitter.push(readBuffer.subarray(0, length));
      } catch {
        this.#socket.destroy();
      }
      return true;
    };
    this.#socket = connect({ ...target, noDelay: true, onread: { buffer: readBuffer, callback: receive } });
    this.#socket.on("connect", () => {
      this.isOpen = true;
      events.opened();
    });
    let failure: Error | undefined;
    this.#socket.on("error", (error) => {
      failure = error;
    });
    this.#socket.on("close", () => {
      this.isOpen = false;
      events.closed(failure);
    });
  }

  /** Bytes that the server has not accepted yet. */
  get backlogBytes(): number {
    return this.#socket.writableLength;
  }

  send(bytes: string | Buffer, requests: number): void {
    this.unanswered += requests;
    this.#sent.push({ atMs: performance.now(), left: requests });
    this.#socket.write(bytes, "latin1");
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** How long the request being answered has waited. A spontaneous answer such as 408 has not waited. */
  #waitedMs(): number {
    const sent = this.#sent[this.#oldest];
    if (sent === undefined) return 0;
    sent.left--;
    if (sent.left === 0) this.#oldest++;
    if (this.#oldest === this.#sent.length) {
      this.#sent = [];
      this.#oldest = 0;
    } else if (this.#oldest >= 1_024) {
      this.#sent.splice(0, this.#oldest);
      this.#oldest = 0;
    }
    return performance.now() - sent.atMs;
  }
}
