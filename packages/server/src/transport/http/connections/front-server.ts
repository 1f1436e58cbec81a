import { type RequestListener, Server, type ServerOptions, type ServerResponse } from "node:http";
import { createServer, type Server as Listener, type Socket } from "node:net";
import { PipelinedResponse } from "./pipelined-response.ts";

/** How often idle connections are closed while a port shuts down. */
const sweepMs = 100;

/**
 * Closes idle connections until the listener has closed. A connection with a response in progress becomes idle only afterwards.
 */
export function closeIdle(server: Server, listener: Listener): void {
  server.closeIdleConnections();
  const sweeping = setInterval(() => server.closeIdleConnections(), sweepMs);
  listener.once("close", () => clearInterval(sweeping));
}

/** Where connections of the public port arrive. They go to Node's HTTP server, unless `begin` is replaced. */
export class Front {
  connectionsMax = Number.POSITIVE_INFINITY;
  /** Connections that were closed immediately because there were too many. */
  dropped = 0;

  /** May pass the connection to `server` at once, later, or not at all. */
  begin: (socket: Socket, server: Server) => void = giveTo;
}

/** Permanently. Node documents that `connection` may be emitted for any stream. */
export function giveTo(socket: Socket, server: Server): void {
  server.emit("connection", socket);
}

/**
 * ADR 7: an HTTP server that does not listen itself. A plain `net.Server` listens and hands connections over through the front.
 * This way we own the port, and Node's parser sees only what is meant for it.
 */
export class FrontServer extends Server {
  readonly #front: Front;
  readonly #listener: Listener;

  constructor(options: ServerOptions, handler: RequestListener, front: Front) {
    super({ ...options, ServerResponse: PipelinedResponse }, (request, response: ServerResponse) =>
      (response as PipelinedResponse).inOrder(() => handler(request, response)),
    );
    this.#front = front;
    // The same options as Node's own HTTP server.
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      front.begin(socket, this),
    );
    this.#listener.on("drop", () => front.dropped++);
    // Node's HTTP server starts to check for slow requests on `listening`.
    for (const event of ["listening", "error"])
      this.#listener.on(event, (...given) => this.emit(event, ...given));
  }

  override listen(...given: unknown[]): this {
    this.#listener.maxConnections = this.#front.connectionsMax;
    Reflect.apply(this.#listener.listen, this.#listener, given);
    return this;
  }

  override address() {
    return this.#listener.address();
  }

  override getConnections(callback: (error: Error | null, count: number) => void): this {
    this.#listener.getConnections(callback);
    return this;
  }

  /** Calls back when the last connection has closed, whichever server has it. */
  override close(onClosed?: (error?: Error) => void): this {
    if (this.#listener.listening) closeIdle(this, this.#listener);
    this.#listener.close((error) => {
      // Only now: until then, Node has to keep checking for slow requests.
      super.close();
      onClosed?.(error);
    });
    return this;
  }
}
