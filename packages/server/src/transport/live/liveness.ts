import type { Socket } from "node:net";
import type { WebSocket } from "ws";

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

  /** Sends a ping. False if the last one was not answered, or if no data was read since. */
  check(): boolean {
    const { bytesWritten, writableLength } = this.#wire;
    const takenBytes = bytesWritten - writableLength;
    const isBehind = writableLength > 0;
    // A client that answers pings but never reads would keep its backlog in memory forever.
    const isStuck = isBehind && this.#wasBehind && takenBytes === this.#takenBytes;
    const isThere = this.#hasAnswered && !isStuck;
    this.#hasAnswered = false;
    this.#takenBytes = takenBytes;
    this.#wasBehind = isBehind;
    if (isThere) this.#socket.ping();
    return isThere;
  }
}
