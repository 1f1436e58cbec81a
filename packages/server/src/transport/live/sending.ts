import type { Socket } from "node:net";
import type { WebSocket } from "ws";

/** Those that have been written to in this go of the event loop. */
let written: Sending[] = [];

const nothing = Buffer.alloc(0);

function flushAll(): void {
  const all = written;
  written = [];
  for (const sending of all) sending.flush();
}

/**
 * The way out of a WebSocket. What is written in one go of the event loop leaves in one packet: a system call each would
 * cost more than the rest. Frames go to the socket as they are, whole: between them the WebSocket may say its own.
 */
export class Sending {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  readonly #unsent: Buffer[] = [];
  #unsentBytes = 0;

  constructor(socket: WebSocket, wire: Socket) {
    this.#socket = socket;
    this.#wire = wire;
  }

  /** What has been written and not yet taken. */
  get backlogBytes(): number {
    return this.#wire.writableLength + this.#unsentBytes;
  }

  write(frame: Buffer): void {
    this.#unsentBytes += frame.length;
    if (this.#unsent.push(frame) === 1 && written.push(this) === 1) process.nextTick(flushAll);
  }

  flush(): void {
    if (this.#unsent.length === 0) return;
    // Put together only here: frame by frame, whoever catches up on a page of changes would have it copied for each of them.
    const frames =
      this.#unsent.length === 1 ? this.#unsent[0] : Buffer.concat(this.#unsent, this.#unsentBytes);
    this.#unsent.length = 0;
    this.#unsentBytes = 0;
    if (this.#socket.readyState === this.#socket.OPEN) this.#wire.write(frames);
  }

  /** Tells once that the other side has taken what was sent. */
  onceDrained(run: () => void): void {
    // Not the event `drain`: it comes only after a write that was told to wait, and ours may have been taken in between.
    this.flush();
    this.#wire.write(nothing, run);
  }

  /** Closes the connection, after what was written. */
  end(code: 1008 | 1013, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
  }
}
