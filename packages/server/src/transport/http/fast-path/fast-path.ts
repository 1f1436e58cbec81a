import type { Server } from "node:http";
import type { Socket } from "node:net";
import { refusalFor } from "../../../host/failures.ts";
import type { ClientAddresses } from "../../limits/client-addresses.ts";
import { giveTo } from "../connections/front-server.ts";
import { type Answer, failure } from "../envelope.ts";
import type { RequestIds } from "../headers/request-ids.ts";
import type { Exchange, Pipeline, RouteFacts, Stop } from "../pipeline.ts";
import { FastConnection } from "./fast-connection.ts";
import type { FastRoute, RawAsk } from "./fast-route.ts";
import type { PlainRequest } from "./plain-request.ts";
import { Responses } from "./response.ts";

export interface FastPathDeps {
  readonly pipeline: Pipeline;
  readonly addresses: ClientAddresses;
  readonly requestIds: RequestIds;
  readonly bodyBytesMax: number;
  /** OP2: requests come with it or without it; empty when there is none. */
  readonly basePath: string;
  /** In milliseconds, and the same as those of Node's HTTP server, which may be given the connection. */
  readonly keepAliveTimeout: number;
  readonly requestTimeout: number;
  readonly noteFault: (error: unknown, what: string) => void;
}

/** How exact the time is for which a connection may be idle: a timer for each would be set twice for every request. */
const tickMs = 1_000;
/** What is under way at a stop may take this long to be answered, and its answer to be taken. */
const lastAnswersMsMax = 4_000;

/**
 * ADR 7: connections begin here. A plain request for one of its routes is answered with one look at the bytes and one
 * write. At anything else the connection is given to Node's HTTP server, for good. So the fast path cannot be wrong about a
 * request, only leave it to others.
 */
export class FastPath {
  readonly deps: FastPathDeps;
  readonly basePath: string;
  readonly keepAliveTicks: number;
  readonly requestTicks: number;
  readonly #responses: Responses;
  answered = 0;
  isClosing = false;
  /** Counts the time in steps of `tickMs`. */
  tick = 0;
  readonly #routes: FastRoute[] = [];
  readonly #connections = new Set<FastConnection>();
  readonly #ticking: NodeJS.Timeout;
  #onEmpty = () => {};

  constructor(deps: FastPathDeps) {
    this.deps = deps;
    this.basePath = deps.basePath;
    // A tick more: a client may use the connection for as long as it was told.
    this.keepAliveTicks = deps.keepAliveTimeout / tickMs + 1;
    this.requestTicks = deps.requestTimeout / tickMs;
    this.#responses = new Responses(deps.keepAliveTimeout, deps.basePath, Date.now);
    this.#ticking = setInterval(() => {
      this.tick++;
      for (const connection of this.#connections) connection.expire(this.tick);
    }, tickMs).unref();
  }

  add(route: FastRoute): void {
    this.#routes.push(route);
  }

  begin(socket: Socket, server: Server): void {
    if (this.isClosing) giveTo(socket, server);
    else this.#connections.add(new FastConnection(this, socket, server));
  }

  forget(connection: FastConnection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#onEmpty();
  }

  /** Ends idle connections, and the others with their last answer. What comes meanwhile goes to Node's HTTP server. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.#ticking);
    for (const connection of this.#connections) connection.stop();
    if (this.#connections.size === 0) return;
    await new Promise<void>((resolve) => {
      // A reader that takes nothing must not hold up the stop.
      const hurry = setTimeout(() => {
        for (const connection of this.#connections) connection.cut();
      }, lastAnswersMsMax);
      this.#onEmpty = () => {
        clearTimeout(hurry);
        resolve();
      };
    });
  }

  /** The route that a request is for, by its first line. */
  routeOf(text: string): FastRoute | undefined {
    for (const route of this.#routes) if (route.idIn(text) !== undefined) return route;
    return undefined;
  }

  exchangeOf(
    { headers }: PlainRequest,
    route: FastRoute,
    socket: Socket,
    from: string | undefined,
  ): Exchange {
    const { requestIds, addresses } = this.deps;
    return {
      id: requestIds.of(from, headers["x-request-id"]),
      startedAt: performance.now(),
      url: route.facts.url,
      headers,
      socket,
      address: addresses.of(from, headers["x-forwarded-for"]),
      identity: null,
    };
  }

  /** Undefined when the handler may have the request. A step that throws must not end the process. */
  admit(route: FastRoute, exchange: Exchange): Answer | undefined | Promise<Answer | undefined> {
    try {
      const stop = this.deps.pipeline.admit(route.facts, exchange);
      if (!(stop instanceof Promise)) return answerToStop(stop);
      return stop.then(answerToStop, (error) => this.answerTo(error, route.facts, exchange));
    } catch (error) {
      return this.answerTo(error, route.facts, exchange);
    }
  }

  /** Asks the handler. */
  ask({ handle, facts }: FastRoute, exchange: Exchange, ask: RawAsk): Answer | Promise<Answer> {
    const { id, key, body, userAgent } = ask;
    const { address, identity } = exchange;
    try {
      return handle({ identity: identity!, id, key, body, userAgent, address });
    } catch (error) {
      return this.answerTo(error, facts, exchange);
    }
  }

  /** A handler that failed: it may have done something, so nobody else is asked to do it again. */
  answerTo(error: unknown, { method, url }: RouteFacts, { id }: Exchange): Answer {
    const refusal = refusalFor(error);
    if (refusal.code === "server.fault") this.deps.noteFault(error, `${method} ${url} failed (${id})`);
    return failure(refusal);
  }

  /** False when the other side takes less than it is given, undefined when it has gone. */
  send(socket: Socket, { facts }: FastRoute, exchange: Exchange, answer: Answer): boolean | undefined {
    const { pipeline } = this.deps;
    this.answered++;
    pipeline.answered(facts, exchange, answer.status);
    if (!socket.writable) return undefined;
    const isTaken = this.#responses.send(socket, answer, pipeline.headerTextFor(exchange), this.isClosing);
    if (pipeline.notesSent) {
      const ms = performance.now() - exchange.startedAt;
      pipeline.sent(exchange, { method: facts.method, route: facts.url, status: answer.status, ms });
    }
    return isTaken;
  }
}

function answerToStop(stop: Stop | undefined): Answer | undefined {
  return stop && failure(stop.refusal);
}
