import type { Server } from "node:http";
import type { Socket } from "node:net";
import { failConnection } from "../connections/connection-options.ts";
import { giveTo } from "../connections/front-server.ts";
import type { Answer } from "../envelope.ts";
import type { Exchange } from "../pipeline.ts";
import type { FastPath } from "./fast-path.ts";
import type { FastRoute, RawAsk } from "./fast-route.ts";
import { readPlain } from "./plain-request.ts";

/** After this many requests in a row, the connection's other requests wait for the next tick of the event loop. */
const requestsInARowMax = 4;
/** Longer requests go to Node's parser, which has higher limits. */
const requestBytesMax = 8_192;
/** How much Node parses at once. A packet may hold thousands of small requests. */
const pieceBytes = 4_096;
/** Bytes converted to text at first: a pipeline may hold many requests, and most are shorter. */
const lookBytes = 1_024;

/**
 * A connection on the fast path. *reading*: the next bytes are read here. *answering*: a request is being answered, and new data
 * waits in the paused socket. *given*: it belongs to Node's HTTP server.
 */
export class FastConnection {
  readonly #path: FastPath;
  readonly #socket: Socket;
  readonly #server: Server;
  /** Cached, because the socket would look it up for every request. */
  readonly #remoteAddress: string | undefined;
  #phase: "reading" | "answering" | "given" = "reading";
  /** The start of a request, because a packet may end anywhere, and the tick at which it arrived. */
  #partial: { readonly bytes: Buffer; readonly since: number } | undefined;
  /** Whether the socket is paused with unread requests. */
  #hasMore = false;
  #isNew = true;
  #hasEnded = false;
  /** The tick at which it was last used. */
  #usedAt: number;

  constructor(path: FastPath, socket: Socket, server: Server) {
    this.#path = path;
    this.#socket = socket;
    this.#server = server;
    this.#remoteAddress = socket.remoteAddress;
    this.#usedAt = path.tick;
    socket.on("data", this.#receive);
    socket.on("end", this.#end);
    socket.on("error", ignore);
    socket.on("close", this.#close);
  }

  /** Called before the server stops. */
  stop(): void {
    // At once: a request that arrives while other responses are awaited would be executed, and its response lost.
    if (this.#phase === "reading") this.#socket.destroy();
  }

  cut(): void {
    this.#socket.destroy();
  }

  /** Ends what Node's server would end: idle connections, and responses that the client does not read. */
  expire(tick: number): void {
    const { keepAliveTicks, requestTicks } = this.#path;
    const idleTicks = tick - this.#usedAt;
    if (this.#phase === "answering") {
      if (idleTicks > keepAliveTicks && this.#socket.writableLength > 0) this.#socket.destroy();
    } else if (this.#partial) {
      // Node's server enforces how long a request may take to arrive.
      if (tick > this.#partial.since + 1) this.#give(this.#partial.bytes);
    } else if (this.#isNew) {
      if (idleTicks > requestTicks) failConnection(this.#socket, "ERR_HTTP_REQUEST_TIMEOUT");
    } else if (idleTicks > keepAliveTicks) {
      this.#socket.destroy();
    }
  }

  readonly #receive = (received: Buffer): void => {
    this.#usedAt = this.#path.tick;
    if (this.#phase !== "reading") this.#readLater(received);
    else this.#serveAll(this.#partial ? Buffer.concat([this.#partial.bytes, received]) : received);
  };

  #serveAll(received: Buffer): void {
    let rest = received;
    for (let inARow = 1; ; inARow++) {
      const end = this.#serve(rest);
      if (end === undefined || end === rest.length) return;
      rest = rest.subarray(end);
      // LM5: a client that sends thousands of requests at once must not make other clients wait for all its responses.
      if (this.#phase === "answering" || inARow === requestsInARowMax) break;
    }
    this.#readLater(rest);
    this.#goOn();
  }

  /** Where the first of these requests ends. Undefined if its rest is still missing, or if it is not for the fast path. */
  #serve(bytes: Buffer): number | undefined {
    const path = this.#path;
    let text = bytes.toString("latin1", 0, lookBytes);
    let request = readPlain(text);
    if (request === "partial" && text.length < bytes.length) {
      text = bytes.toString("latin1", 0, requestBytesMax);
      request = readPlain(text);
    }
    if (request === "partial") return this.#waitForMore(bytes, bytes.length + 1);
    const found = request === "other" ? undefined : path.find(text);
    if (request === "other" || found === undefined) return this.#give(bytes);
    const { route, id } = found;
    const { end, bodyStart } = request;
    if (end > bytes.length) return this.#waitForMore(bytes, end);
    const isShort = end <= requestBytesMax && end - bodyStart <= path.deps.bodyBytesMax;
    const ask = isShort ? route.read(id, request, bytes) : undefined;
    // Before any step of the pipeline, because Fastify runs all of them itself.
    if (ask === undefined) return this.#give(bytes);
    this.#partial = undefined;
    this.#phase = "answering";
    const exchange = path.exchangeOf(request, route, this.#socket, this.#remoteAddress);
    const refused = path.admit(route, exchange);
    if (refused instanceof Promise)
      refused.then((late) => {
        // The client has disconnected, so do nothing.
        if (!this.#socket.destroyed) this.#proceed(late, route, exchange, ask, true);
      });
    else this.#proceed(refused, route, exchange, ask, false);
    return end;
  }

  #proceed(
    refused: Answer | undefined,
    route: FastRoute,
    exchange: Exchange,
    ask: RawAsk,
    isLate: boolean,
  ): void {
    const answer = refused ?? this.#path.ask(route, exchange, ask);
    if (answer instanceof Promise)
      answer.then(
        (late) => this.#answer(route, exchange, late, true),
        (error) => this.#answer(route, exchange, this.#path.answerTo(error, route.facts, exchange), true),
      );
    else this.#answer(route, exchange, answer, isLate);
  }

  #answer(route: FastRoute, exchange: Exchange, answer: Answer, isLate: boolean): void {
    const { isClosing, tick } = this.#path;
    const isTaken = this.#path.send(this.#socket, route, exchange, answer);
    if (isClosing || isTaken === undefined) return;
    this.#isNew = false;
    this.#usedAt = tick;
    // A client that does not read its responses is not read from.
    if (!isTaken) this.#socket.once("drain", this.#readOn);
    else if (isLate) this.#readOn();
    else this.#phase = "reading";
  }

  readonly #readOn = (): void => {
    this.#phase = "reading";
    this.#goOn();
  };

  /** After a slow response, or after yielding to others. */
  #goOn(): void {
    if (this.#phase === "answering") return;
    if (this.#path.isClosing) this.#socket.destroySoon();
    else if (this.#hasMore) setImmediate(this.#resume);
    else if (this.#hasEnded) this.#socket.end();
  }

  readonly #resume = (): void => {
    this.#hasMore = false;
    this.#socket.resume();
  };

  /**
   * Puts the bytes back into the socket, which is paused and holds at most about two more buffers. So memory stays bounded and
   * the end of the connection is not seen early.
   */
  #readLater(bytes: Buffer): void {
    this.#hasMore = true;
    this.#socket.pause();
    this.#socket.unshift(bytes);
  }

  #waitForMore(bytes: Buffer, end: number): undefined {
    if (Math.max(end, bytes.length) > requestBytesMax) return this.#give(bytes);
    this.#partial = { bytes, since: this.#partial?.since ?? this.#path.tick };
    return undefined;
  }

  /** Hands the connection to Node's HTTP server, permanently. */
  #give(bytes: Buffer): undefined {
    const socket = this.#socket;
    this.#phase = "given";
    socket.off("data", this.#receive);
    socket.off("end", this.#end);
    socket.off("close", this.#close);
    this.#path.forget(this);
    socket.pause();
    // LM5: once a connection is closed because of too many requests, Node parses no further piece.
    for (let end = bytes.length; end > 0; end -= pieceBytes)
      socket.unshift(bytes.subarray(Math.max(0, end - pieceBytes), end));
    giveTo(socket, this.#server);
    socket.off("error", ignore);
    socket.resume();
    return undefined;
  }

  /** The client has sent everything it will send. */
  readonly #end = (): void => {
    this.#hasEnded = true;
    if (this.#partial) failConnection(this.#socket, "HPE_INVALID_EOF_STATE");
    else if (this.#phase === "reading") this.#socket.end();
  };

  readonly #close = (): void => this.#path.forget(this);
}

const ignore = (): void => {};
