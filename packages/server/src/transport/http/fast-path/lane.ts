import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Refusal } from "@openseat/kernel";
import { refusalFor } from "../../../host/trouble.ts";
import { permit, proveHeader } from "../../auth/access.ts";
import type { Prover } from "../../auth/entrances.ts";
import type { Proof } from "../../auth/proof.ts";
import type { ClientAddresses } from "../../limits/client-addresses.ts";
import type { Gatekeeper } from "../../limits/gatekeeper.ts";
import { type Answer, failure } from "../envelope.ts";
import { commonHeaders } from "../headers/common-headers.ts";
import type { Cors } from "../headers/cors.ts";
import type { RequestIds } from "../headers/request-ids.ts";
import type { CountAnswer } from "../metrics.ts";
import type { ExpressAsk, ExpressRoute } from "./express-route.ts";
import { LaneConnection } from "./lane-connection.ts";
import { requestBytesMax, tickMs } from "./lane-limits.ts";
import { LaneRoute } from "./lane-route.ts";
import { PlainRequest } from "./plain-request.ts";
import { Responses } from "./response.ts";

export interface LaneParts {
  readonly server: Server;
  /** Of the public port: what it refuses, Fastify looks at again. */
  readonly prover: Prover;
  readonly addresses: ClientAddresses;
  readonly gatekeeper: Gatekeeper;
  readonly bodyBytesMax: number;
  /** OP2: requests come with it or without it; empty when there is none. */
  readonly basePath: string;
  /** Counts the answers of a route by their status. */
  readonly counterOf: (method: string, url: string) => CountAnswer;
  readonly requestIds: RequestIds;
  readonly noteFault: (error: unknown, what: string) => void;
  /** HT5: an answer to a page of a listed site has headers of its own, which Fastify writes. */
  readonly cors?: Pick<Cors, "constant" | "isListed"> | undefined;
}

/** So long may what is under way at a stop take to be answered, and its answer to be taken. */
const lastAnswersMsMax = 4_000;

/** What is to be done for a plain request that has been understood. */
export interface Understood {
  readonly route: LaneRoute;
  readonly ask: ExpressAsk;
}

/** A request that a limit forbids. It is answered here: Fastify would count it a second time. */
export interface Refused {
  readonly route: LaneRoute;
  readonly refusal: Refusal;
  /** LM4: it goes out a little later. */
  readonly isHeld: boolean;
}

/**
 * ADR 0007: connections begin here, in front of Node's HTTP server. A request for one of its routes that is plain,
 * proved and good is answered at once. Anything else goes to Node and Fastify as it came, byte for byte, so that there
 * is one place where requests are refused, and the lane cannot be wrong about one: only leave it to others.
 */
export class ExpressLane {
  readonly parts: LaneParts;
  readonly responses: Responses;
  readonly request = new PlainRequest();
  answered = 0;
  isClosing = false;
  /** Counts the time in steps of `tickMs`. */
  tick = 0;
  #ticking: NodeJS.Timeout | undefined;
  /** The connection for which Node's server parses just now; it is told of the requests that come of it. */
  borrower: LaneConnection | undefined;
  readonly #routes: LaneRoute[] = [];
  readonly #connections = new Set<LaneConnection>();
  #ordinary: readonly ((this: Server, socket: Socket) => void)[] = [];
  #onEmpty = () => {};

  constructor(parts: LaneParts) {
    this.parts = parts;
    const keepAliveSeconds = Math.floor(parts.server.keepAliveTimeout / 1000);
    const common = [...commonHeaders, ...(parts.cors?.constant ?? [])];
    this.responses = new Responses(keepAliveSeconds, common, parts.basePath, Date.now);
  }

  add(route: ExpressRoute): void {
    const count = this.parts.counterOf(route.method, route.url);
    for (const basePath of new Set([this.parts.basePath, ""]))
      this.#routes.push(new LaneRoute(route, count, basePath));
  }

  /** From now on connections come here first. */
  open(): void {
    const { server } = this.parts;
    this.#ticking = setInterval(() => {
      this.tick++;
      for (const connection of this.#connections) connection.expire(this.tick);
    }, tickMs).unref();
    this.#ordinary = server.listeners("connection") as ((socket: Socket) => void)[];
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      if (this.isClosing) this.passOn(socket);
      else this.#connections.add(new LaneConnection(this, socket));
    });
    server.on("request", (_request, response) => this.borrower?.borrowed(response));
  }

  /** Lets go of idle connections, and of the others with their last answer. What comes meanwhile goes the ordinary way. */
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

  forget(connection: LaneConnection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#onEmpty();
  }

  /** Gives a connection to Node's HTTP server, as if it had just come. */
  passOn(socket: Socket): void {
    for (const listener of this.#ordinary) listener.call(this.parts.server, socket);
  }

  /** What the request just read asks for; undefined when it is not for the lane to answer. */
  understand(
    bytes: Buffer,
    text: string,
    start: number,
    remoteAddress: string | undefined,
    known: Proof | undefined,
  ): Understood | Refused | Promise<Proof> | undefined {
    const { request } = this;
    const { addresses, gatekeeper } = this.parts;
    if (request.end - start > requestBytesMax || request.authorization === undefined) return undefined;
    if (request.end - request.bodyStart > this.parts.bodyBytesMax) return undefined;
    if (request.origin !== undefined && this.parts.cors?.isListed(request.origin)) return undefined;
    for (const route of this.#routes) {
      const id = route.idIn(text, start);
      if (id === undefined) continue;
      // Before it is counted: Fastify counts what is handed on.
      if (!route.takes(id, request.key)) return undefined;
      const address = addresses.of(remoteAddress, request.forwardedFor);
      const shed = known ? undefined : gatekeeper.shed(route.traits, address, request.authorization);
      if (shed) return { route, refusal: shed, isHeld: true };
      const body = route.bodyOf(request, bytes);
      if (!body) return undefined;
      const proof = known ?? proveHeader(this.parts.prover, request.authorization);
      if (proof instanceof Promise) return proof;
      const permitted = permit(proof, route.access);
      if ("refusal" in permitted) return undefined;
      const { identity } = permitted;
      const { key, userAgent } = request;
      const refusal = gatekeeper.refusalFor(route.traits, identity, address);
      if (refusal) return { route, refusal, isHeld: false };
      return { route, ask: { identity, id, key, body: body.value, userAgent, address } };
    }
    return undefined;
  }

  /** A handler that failed: it may have done something, so nobody else is asked to do it again. */
  answerTo(error: unknown, { name }: LaneRoute, requestId: string): Answer {
    const refusal = refusalFor(error);
    if (refusal.code === "server.fault") this.parts.noteFault(error, `${name} failed (${requestId})`);
    return failure(refusal);
  }
}
