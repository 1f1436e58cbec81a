import type { Server } from "node:http";
import { type AddressInfo, createServer, type Server as Listener, type Socket } from "node:net";
import { closeIdle, giveTo } from "./front-server.ts";

/**
 * Past this, new connections are closed. They are counted separately from the public port, so a crowd there does not use them up.
 */
const connectionsMax = 1_000;

/**
 * AU7: a second port of the same HTTP server, for operators and metrics collectors. Its connections are served like all others;
 * only the port they arrived on is remembered.
 */
export class OperatorPort {
  readonly #server: Server;
  readonly #listener: Listener;
  readonly #sockets = new WeakSet<Socket>();

  constructor(server: Server) {
    this.#server = server;
    // The same options as Node's own HTTP server.
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      giveTo(socket, server);
    });
    this.#listener.maxConnections = connectionsMax;
  }

  /** Whether a connection arrived on this port. */
  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  /** The address at which it can be reached. */
  listen(port: number, host: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#listener.once("error", reject);
      this.#listener.listen(port, host, () => {
        // An attached server does not listen itself, and Node's HTTP server checks for slow requests only after this event.
        this.#server.emit("listening");
        const { address, family, port: given } = this.#listener.address() as AddressInfo;
        resolve(`http://${family === "IPv6" ? `[${address}]` : address}:${given}`);
      });
    });
  }

  /** Stops accepting connections. Resolves when the last one has closed. */
  close(): Promise<void> {
    if (this.#listener.listening) closeIdle(this.#server, this.#listener);
    return new Promise((resolve) => this.#listener.close(() => resolve()));
  }
}
