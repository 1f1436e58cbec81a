import type { Socket } from "node:net";
import type { WebSocket } from "ws";

/** Connections with unflushed frames in this tick. */
let written: Sending[] = [];

const nothing = Buffer.alloc(0);

function flushAll(): void {
  const all = written;
  written = [];
  for (const sending of all) sending.flush();
}

/** The outgoing side of a WebSocket. All frames of a tick are sent in one write: a system call per frame would cost too much. */
export class Sending {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  readonly #unsent: Buffer[] = [];
  #unsentBytes = 0;

  constructor(socket: WebSocket, wire: Socket) {
    this.#socket = socket;
    this.#wire = wire;
  }

  get backlogBytes(): number {
    return this.#wire.writableLength + this.#unsentBytes;
  }

  write(frame: Buffer): void {
    this.#unsentBytes += frame.length;
    if (this.#unsent.push(frame) === 1 && written.push(this) === 1) process.nextTick(flushAll);
  }

  flush(): void {
    if (this.#unsent.length === 0) return;
    // Concatenated only here: concatenating per frame would copy a page of changes many times.
    const frames =
      this.#unsent.length === 1 ? this.#unsent[0] : Buffer.concat(this.#unsent, this.#unsentBytes);
    this.#unsent.length = 0;
    this.#unsentBytes = 0;
    if (this.#socket.readyState === this.#socket.OPEN) this.#wire.write(frames);
  }

  /** Runs once the client has read what was sent. */
  onceDrained(run: () => void): void {
    // "drain" fires only after a write that returned false, and the data may already have been read.
    this.flush();
    this.#wire.write(nothing, run);
  }

  end(code: 1008 | 1013, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
  }
}
