import type { Server } from "node:http";
import { type AddressInfo, createServer, type Server as Listener, type Socket } from "node:net";
import { closeIdle, giveTo } from "./front-server.ts";

/** Past it new connections are closed. They are counted apart from those of the public port, so a crowd there takes none away. */
const connectionsMax = 1_000;

/**
 * AU7: a second port of the same HTTP server, for operators and whatever collects the metrics. Its connections are served
 * as all others are; only where they came in is remembered.
 */
export class OperatorPort {
  readonly #server: Server;
  readonly #listener: Listener;
  readonly #sockets = new WeakSet<Socket>();

  constructor(server: Server) {
    this.#server = server;
    // As Node's own HTTP server opens its port.
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      giveTo(socket, server);
    });
    this.#listener.maxConnections = connectionsMax;
  }

  /** Whether a connection came in here. */
  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  /** Where it can be reached. */
  listen(port: number, host: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#listener.once("error", reject);
      this.#listener.listen(port, host, () => {
        const { address, family, port: given } = this.#listener.address() as AddressInfo;
        resolve(`http://${family === "IPv6" ? `[${address}]` : address}:${given}`);
      });
    });
  }

  /** Takes no more connections. Resolves when the last one is gone. */
  close(): Promise<void> {
    if (this.#listener.listening) closeIdle(this.#server, this.#listener);
    return new Promise((resolve) => this.#listener.close(() => resolve()));
  }
}
