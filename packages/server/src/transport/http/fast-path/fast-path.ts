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
  /** OP2: requests may arrive with or without it; empty if there is none. */
  readonly basePath: string;
  /** In milliseconds, and the same as for Node's HTTP server, which may take over the connection. */
  readonly keepAliveTimeout: number;
  readonly requestTimeout: number;
  readonly noteFault: (error: unknown, what: string) => void;
}

/** Resolution of idle timeouts: a timer per connection would be set twice per request. */
const tickMs = 1_000;
/** How long a shutdown waits for responses to be made and read. */
const lastAnswersMsMax = 4_000;

/**
 * ADR 7: connections start here. A plain request for a fast route is parsed once and answered with a single write. For anything
 * else, the connection is handed to Node's HTTP server permanently. So the fast path never misreads a request; it can only pass
 * it on.
 */
export class FastPath {
  readonly deps: FastPathDeps;
  readonly basePath: string;
  readonly keepAliveTicks: number;
  readonly requestTicks: number;
  readonly #responses: Responses;
  answered = 0;
  isClosing = false;
  /** Time in steps of `tickMs`. */
  tick = 0;
  readonly #routes: FastRoute[] = [];
  readonly #connections = new Set<FastConnection>();
  readonly #ticking: NodeJS.Timeout;
  #onEmpty = () => {};

  constructor(deps: FastPathDeps) {
    this.deps = deps;
    this.basePath = deps.basePath;
    // One tick longer than announced, so that a client can use the full announced time.
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

  /**
   * Closes idle connections at once, and the others after their last response. Anything that arrives meanwhile goes to Node's
   * HTTP server.
   */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.#ticking);
    for (const connection of this.#connections) connection.stop();
    if (this.#connections.size === 0) return;
    await new Promise<void>((resolve) => {
      // A client that does not read must not delay the shutdown.
      const hurry = setTimeout(() => {
        for (const connection of this.#connections) connection.cut();
      }, lastAnswersMsMax);
      this.#onEmpty = () => {
        clearTimeout(hurry);
        resolve();
      };
    });
  }

  /** The route of a request and its `:id`, found by its first line. */
  find(text: string): { readonly route: FastRoute; readonly id: string } | undefined {
    const routes = this.#routes;
    for (let at = 0; at < routes.length; at++) {
      const route = routes[at];
      const id = route.idIn(text);
      if (id === undefined) continue;
      // Frequent routes move to the front: comparing with all of them would cost a tenth of a heartbeat.
      if (at > 0) [routes[at - 1], routes[at]] = [route, routes[at - 1]];
      return { route, id };
    }
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

  /** Undefined if the handler may run. A step that throws must not end the process. */
  admit(route: FastRoute, exchange: Exchange): Answer | undefined | Promise<Answer | undefined> {
    try {
      const stop = this.deps.pipeline.admit(route.facts, exchange);
      if (!(stop instanceof Promise)) return answerToStop(stop);
      return stop.then(answerToStop, (error) => this.answerTo(error, route.facts, exchange));
    } catch (error) {
      return this.answerTo(error, route.facts, exchange);
    }
  }

  /** Calls the handler. */
  ask({ handle, facts }: FastRoute, exchange: Exchange, ask: RawAsk): Answer | Promise<Answer> {
    const { id, key, body, userAgent } = ask;
    const { address, identity } = exchange;
    try {
      return handle({ identity: identity!, id, key, body, userAgent, address });
    } catch (error) {
      return this.answerTo(error, facts, exchange);
    }
  }

  /** The response to a failed handler. It may have had an effect, so the request must not be executed again. */
  answerTo(error: unknown, { method, url }: RouteFacts, { id }: Exchange): Answer {
    const refusal = refusalFor(error);
    if (refusal.code === "server.fault") this.deps.noteFault(error, `${method} ${url} failed (${id})`);
    return failure(refusal);
  }

  /** False if the socket's buffer is full, undefined if the client has disconnected. */
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
