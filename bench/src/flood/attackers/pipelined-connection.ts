import { connect, type Socket } from "node:net";
import type { Address } from "../../load.ts";
import { ResponseSplitter } from "../../response-splitter.ts";

const readBufferBytes = 64 * 1024;

// One for all connections: what is read is handed over before anything else is read.
const readBuffer = Buffer.allocUnsafeSlow(readBufferBytes);

export type ConnectionEvents = {
  opened(): void;
  answered(status: number): void;
  /** It is over, whoever ended it. Told once. */
  closed(): void;
};

/** A raw connection with any number of requests under way, which cost the attacker next to nothing. */
export class PipelinedConnection {
  /** Requests sent and not yet answered. */
  unanswered = 0;
  isOpen = false;
  readonly #socket: Socket;

  constructor(target: Address, events: ConnectionEvents) {
    const splitter = new ResponseSplitter((status) => {
      this.unanswered--;
      events.answered(status);
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
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.isOpen = false;
      events.closed();
    });
  }

  /** Bytes that the server has not taken yet. */
  get backlogBytes(): number {
    return this.#socket.writableLength;
  }

  send(bytes: string | Buffer, requests: number): void {
    this.unanswered += requests;
    this.#socket.write(bytes, "latin1");
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
