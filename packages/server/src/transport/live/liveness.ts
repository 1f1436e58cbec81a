import type { Socket } from "node:net";
import type { WebSocket } from "ws";

/** Whether the other side of a WebSocket is still there. */
export class Liveness {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  #hasAnswered = true;
  #takenBytes = 0;
  #wasBehind = false;

  constructor(socket: WebSocket, wire: Socket) {
    this.#socket = socket;
    this.#wire = wire;
    socket.on("pong", () => {
      this.#hasAnswered = true;
    });
  }

  /** Sends a ping. False when the last one was not answered, or nothing that was sent has been taken since. */
  check(): boolean {
    const { bytesWritten, writableLength } = this.#wire;
    const takenBytes = bytesWritten - writableLength;
    const isBehind = writableLength > 0;
    // Without this, a client that answers pings and never reads would hold its backlog in our memory for ever.
    const isStuck = isBehind && this.#wasBehind && takenBytes === this.#takenBytes;
    const isThere = this.#hasAnswered && !isStuck;
    this.#hasAnswered = false;
    this.#takenBytes = takenBytes;
    this.#wasBehind = isBehind;
    if (isThere) this.#socket.ping();
    return isThere;
  }
}
