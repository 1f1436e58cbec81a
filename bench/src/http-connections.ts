import { connect, type Socket } from "node:net";
import { type Address, LoadError } from "./load.ts";
import { ResponseSplitter } from "./response-splitter.ts";

const readBufferBytes = 16 * 1024;
/** Servers close idle connections. A request sent just then would be lost. */
const idleMsMax = 2_000;

/** One keep-alive connection, with at most one request in flight. */
export type HttpConnection = {
  readonly socket: Socket;
  /** When the request in flight was sent or due. */
  askedAt: number;
  /** The sender's number for the request in flight. */
  request: number;
  busy: boolean;
  open: boolean;
  usedAt: number;
};

export type ConnectionEvents = {
  answered(
    connection: HttpConnection,
    status: number,
    bytes: Buffer,
    bodyStart: number,
    bodyEnd: number,
  ): void;
  failed(error: Error): void;
};

function retire(connection: HttpConnection): void {
  connection.open = false;
  connection.socket.destroy();
}

/** Many raw connections to one server. The client must use far less processor time than the server. */
export class HttpConnections {
  readonly connections: HttpConnection[] = [];
  readonly #address: Address;
  readonly #connectionsMax: number;
  readonly #events: ConnectionEvents;

  constructor(address: Address, connections: number, events: ConnectionEvents) {
    this.#address = address;
    this.#connectionsMax = connections;
    this.#events = events;
  }

  async connectAll(): Promise<void> {
    const now = performance.now();
    for (const connection of this.connections) if (now - connection.usedAt > idleMsMax) retire(connection);
    const open = this.connections.filter((connection) => connection.open);
    const missing = Array.from({ length: this.#connectionsMax - open.length }, () => this.#connect());
    this.connections.splice(0, this.connections.length, ...open, ...(await Promise.all(missing)));
  }

  send(connection: HttpConnection, request: number, bytes: Uint8Array | string, askedAt: number): void {
    connection.request = request;
    connection.askedAt = askedAt;
    connection.busy = true;
    connection.usedAt = askedAt;
    if (typeof bytes === "string") connection.socket.write(bytes, "latin1");
    else connection.socket.write(bytes);
  }

  close(): void {
    for (const connection of this.connections) retire(connection);
    this.connections.length = 0;
  }

  #connect(): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const splitter = new ResponseSplitter((status, bytes, bodyStart, bodyEnd) =>
        this.#answered(connection, status, bytes, bodyStart, bodyEnd),
      );
      const receive = (length: number, buffer: Uint8Array): boolean => {
        try {
          splitter.push((buffer as Buffer).subarray(0, length));
        } catch (error) {
          this.#events.failed(error as Error);
        }
        return true;
      };
      const socket = connect({
        ...this.#address,
        noDelay: true,
        onread: { buffer: Buffer.allocUnsafeSlow(readBufferBytes), callback: receive },
      });
      const connection: HttpConnection = {
        socket,
        askedAt: 0,
        request: 0,
        busy: false,
        open: true,
        usedAt: performance.now(),
      };
      socket.once("connect", () => resolve(connection));
      socket.on("error", reject);
      socket.on("close", () => {
        connection.open = false;
        if (connection.busy)
          this.#events.failed(new LoadError("The server closed a connection with a request in flight."));
      });
    });
  }

  #answered(
    connection: HttpConnection,
    status: number,
    bytes: Buffer,
    bodyStart: number,
    bodyEnd: number,
  ): void {
    if (!connection.busy) {
      this.#events.failed(
        new LoadError(
          `Unexpected answer with status ${status}: ${bytes.toString("utf8", bodyStart, bodyEnd)}`,
        ),
      );
      return;
    }
    connection.busy = false;
    this.#events.answered(connection, status, bytes, bodyStart, bodyEnd);
  }
}
