import { type RequestListener, Server, type ServerOptions, type ServerResponse } from "node:http";
import { createServer, type Server as Listener, type Socket } from "node:net";
import { PipelinedResponse } from "./pipelined-response.ts";

/** How often idle connections are looked for while a port closes. */
const sweepMs = 100;

/** Closes idle connections until the listener has closed: one whose last answer was under way is idle only after it. */
export function closeIdle(server: Server, listener: Listener): void {
  server.closeIdleConnections();
  const sweeping = setInterval(() => server.closeIdleConnections(), sweepMs);
  listener.once("close", () => clearInterval(sweeping));
}

/** Where connections of the public port begin: with Node's HTTP server, unless they are put somewhere else. */
export class Front {
  connectionsMax = Number.POSITIVE_INFINITY;
  /** Connections that were closed at once, because there were too many. */
  dropped = 0;

  /** May give the connection to `server` at once, later, or not at all. */
  begin: (socket: Socket, server: Server) => void = giveTo;
}

/** For good. `connection` may be emitted for any stream: Node documents it so. */
export function giveTo(socket: Socket, server: Server): void {
  server.emit("connection", socket);
}

/**
 * ADR 7: an HTTP server that does not listen itself. A plain `net.Server` does it, and connections come here when the front
 * gives them. So the port belongs to us, and Node's parser sees only what is meant for it.
 */
export class FrontServer extends Server {
  readonly #front: Front;
  readonly #listener: Listener;

  constructor(options: ServerOptions, handler: RequestListener, front: Front) {
    super({ ...options, ServerResponse: PipelinedResponse }, (request, response: ServerResponse) =>
      (response as PipelinedResponse).inTurn(() => handler(request, response)),
    );
    this.#front = front;
    // As Node's own HTTP server opens its port.
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      front.begin(socket, this),
    );
    this.#listener.on("drop", () => front.dropped++);
    // Node's HTTP server begins to look for slow requests when it is told that it listens.
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

  override getConnections(tell: (error: Error | null, count: number) => void): this {
    this.#listener.getConnections(tell);
    return this;
  }

  /** Calls back when the last connection has gone, whoever has it. */
  override close(onClosed?: (error?: Error) => void): this {
    if (this.#listener.listening) closeIdle(this, this.#listener);
    this.#listener.close((error) => {
      // Only now: until then, Node goes on to look for requests that are slow to arrive.
      super.close();
      onClosed?.(error);
    });
    return this;
  }
}
