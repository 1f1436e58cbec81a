import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Refusal } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import { stopping } from "../../../host/failures.ts";
import { failure, headersOf } from "../envelope.ts";
import { isBelow } from "../headers/base-path.ts";
import { commonHeaders } from "../headers/header-block.ts";
import { newRequestId } from "../headers/request-ids.ts";
import { isLive } from "./connection-options.ts";
import type { Ingress, Meanwhile } from "./ingress.ts";

const starting: Refusal = {
  code: "log.unavailable",
  message: "The server is starting. Please try again in a moment.",
  retryable: true,
};

/**
 * The requests below a path of another program's HTTP server. That server owns the port and its connections, so only requests
 * are accepted and ended here.
 */
export class Mount implements Ingress {
  readonly prefix: string;
  #app: FastifyInstance | undefined;
  #refusal = starting;
  readonly #underWay = new Set<ServerResponse | Duplex>();
  /** Responses under way per connection. A connection that is upgraded meanwhile would never be closed. */
  readonly #unanswered = new WeakMap<Duplex, number>();
  #onQuiet = () => {};

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  covers({ url = "" }: IncomingMessage): boolean {
    return isBelow(url, this.prefix);
  }

  /** Any other request for an upgrade gets an ordinary response, because nothing would own its socket. */
  mayUpgrade(request: IncomingMessage): boolean {
    return this.#app !== undefined && isLive(request, this.prefix) && !this.#unanswered.get(request.socket);
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (!this.#app) {
      refuse(response, this.#refusal);
      return;
    }
    // The client may have left while the host program worked on the request. No event would follow.
    if (response.destroyed) return;
    this.#count(request.socket, 1);
    response.once("close", () => this.#count(request.socket, -1));
    this.#note(response);
    this.#app.routing(request, response);
  };

  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (this.#app) {
      this.#note(socket);
      this.#app.server.emit("upgrade", request, socket, head);
      return;
    }
    // Node has released the socket: without a listener, a client that resets it would end the host program.
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(socket as never);
    response.once("finish", () => socket.end());
    refuse(response, this.#refusal);
  };

  async wait(refusal: Refusal): Promise<Meanwhile> {
    this.#refusal = refusal;
    return { url: this.prefix, close: async () => {} };
  }

  async open(app: FastifyInstance): Promise<string> {
    this.#app = app;
    return this.prefix;
  }

  async close(): Promise<void> {
    // Stops the checks for slow requests, which the operators' port needs. Fastify closes only servers that listen.
    this.#app?.server.close();
    this.#app = undefined;
    this.#refusal = stopping;
    if (this.#underWay.size > 0) await new Promise<void>((resolve) => (this.#onQuiet = resolve));
  }

  cut(): void {
    for (const one of this.#underWay) one.destroy();
    this.#underWay.clear();
    this.#onQuiet();
  }

  #count(socket: Duplex, change: 1 | -1): void {
    this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 0) + change);
  }

  #note(one: ServerResponse | Duplex): void {
    // Its `close` has been emitted already, so it would delay the stop.
    if (one.destroyed) return;
    this.#underWay.add(one);
    one.once("close", () => {
      this.#underWay.delete(one);
      if (this.#underWay.size === 0) this.#onQuiet();
    });
  }
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  const answer = failure(refusal);
  const headers = [...commonHeaders, ...headersOf(answer, ""), ["content-type", "application/json"] as const];
  response.writeHead(answer.status, [...headers, ["x-request-id", newRequestId()]].flat());
  response.end(JSON.stringify(answer.body));
}
