import type { Socket } from "node:net";
import type { Refusal } from "@openseat/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler, RouteOptions } from "fastify";
import type { Identity } from "../../app/identity.ts";
import { type Access, isForOperators } from "../auth/access.ts";
import { type Traits, traitsOf } from "../limits/gatekeeper.ts";
import { sendRefusal } from "./envelope.ts";
import { sendNotFound } from "./errors.ts";
import type { HeaderBlock } from "./headers/header-block.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How the route responds to an exceeded limit; in the envelope by default. */
    refuse?: Refuse;
  }
  interface FastifyRequest {
    /** The start of the request, in `performance.now()` time. */
    startedAt: number;
  }
}

type Refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => void;

/** A request, from Fastify or from the fast path. */
export interface Exchange {
  /** OP3: appears in the response and in the logs. */
  readonly id: string;
  readonly startedAt: number;
  readonly url: string;
  readonly headers: { readonly authorization?: string | undefined; readonly origin?: string | undefined };
  readonly socket: Socket;
  readonly address: string;
  /** Null until it is authenticated, and on public routes without a token. */
  identity: Identity | null;
}

export interface RouteFacts {
  readonly method: string;
  readonly url: string;
  readonly access: Access;
  readonly traits: Traits;
}

export interface Sent {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** A step that runs for every request. Its functions are called without `this`. */
export interface Step {
  readonly name: string;
  readonly headers?: (exchange: Exchange) => HeaderBlock;
  /** Runs before the handler. A refusal becomes the response, and later steps are skipped. */
  readonly admit?: (
    route: RouteFacts,
    exchange: Exchange,
  ) => Refusal | undefined | Promise<Refusal | undefined>;
  /** Whether a refusal is a limit. Some routes report limits in their own format. */
  readonly isLimit?: true;
  readonly answered?: (route: RouteFacts, exchange: Exchange, status: number) => void;
  readonly sent?: (exchange: Exchange, sent: Sent) => void;
}

export interface Stop {
  readonly step: Step;
  readonly refusal: Refusal;
}

/** ADR 7: the steps that run for every request. Fastify's hooks and the fast path are both built only from these. */
export class Pipeline {
  readonly #headers: readonly NonNullable<Step["headers"]>[];
  readonly #admitting: readonly (Step & Required<Pick<Step, "admit">>)[];
  readonly #answered: readonly NonNullable<Step["answered"]>[];
  readonly #sent: readonly NonNullable<Step["sent"]>[];

  constructor(steps: readonly Step[]) {
    this.#headers = steps.flatMap(({ headers }) => headers ?? []);
    this.#admitting = steps.flatMap((step) => (step.admit ? { ...step, admit: step.admit } : []));
    this.#answered = steps.flatMap(({ answered }) => answered ?? []);
    this.#sent = steps.flatMap(({ sent }) => sent ?? []);
  }

  *headerLinesFor(exchange: Exchange) {
    for (const headers of this.#headers) yield* headers(exchange).lines;
  }

  headerTextFor(exchange: Exchange): string {
    let text = "";
    for (const headers of this.#headers) text += headers(exchange).text;
    return text;
  }

  /** Undefined if the handler may run. A promise only if a step has to wait. */
  admit(route: RouteFacts, exchange: Exchange, from = 0): Stop | undefined | Promise<Stop | undefined> {
    for (let at = from; at < this.#admitting.length; at++) {
      const step = this.#admitting[at];
      const refusal = step.admit(route, exchange);
      if (refusal instanceof Promise)
        return refusal.then((late) => (late ? { step, refusal: late } : this.admit(route, exchange, at + 1)));
      if (refusal) return { step, refusal };
    }
    return undefined;
  }

  answered(route: RouteFacts, exchange: Exchange, status: number): void {
    for (const answered of this.#answered) answered(route, exchange, status);
  }

  get notesSent(): boolean {
    return this.#sent.length > 0;
  }

  sent(exchange: Exchange, sent: Sent): void {
    for (const note of this.#sent) note(exchange, sent);
  }
}

export function factsOf({
  method,
  url,
  config,
}: Pick<RouteOptions, "method" | "url" | "config">): RouteFacts {
  const { access } = config ?? {};
  if (access === undefined) throw new Error(`${method} ${url} does not state who may use it.`);
  return { method: String(method), url, access, traits: traitsOf(method, config!) };
}

/** Fastify's side. Call it before routes are added, and before other hooks that may respond. */
export function followPipeline(
  app: FastifyInstance,
  pipeline: Pipeline,
  isHidden: (socket: Socket) => boolean = () => false,
): void {
  app.decorateRequest("startedAt", 0);
  app.addHook("onRequest", function startAnswer(request, reply, done) {
    request.startedAt = performance.now();
    for (const [name, value] of pipeline.headerLinesFor(request)) reply.header(name, value);
    done();
  });
  if (pipeline.notesSent)
    app.addHook("onResponse", function noteSent(request, { statusCode: status, elapsedTime: ms }, done) {
      pipeline.sent(request, { method: request.method, route: request.routeOptions.url, status, ms });
      done();
    });
  app.addHook("onRoute", (route) => {
    const facts = factsOf(route);
    const { refuse = sendInEnvelope } = route.config!;
    const isOperators = isForOperators(route.config!);
    const answerStop = (request: FastifyRequest, reply: FastifyReply, { step, refusal }: Stop) =>
      (step.isLimit ? refuse : sendInEnvelope)(request, reply, refusal);
    function admit(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
      // AU7: on the public port, the route does not exist.
      if (isOperators && isHidden(request.socket)) {
        sendNotFound(request, reply);
        return;
      }
      const goOn = (stop: Stop | undefined) => (stop ? answerStop(request, reply, stop) : done());
      const stop = pipeline.admit(facts, request);
      if (stop instanceof Promise) void stop.then(goOn, done);
      else goOn(stop);
    }
    const countAnswer: onSendHookHandler = (request, { statusCode }, payload, done) => {
      pipeline.answered(facts, request, statusCode);
      done(null, payload);
    };
    route.onRequest = [admit, ...[route.onRequest ?? []].flat()];
    route.onSend = [countAnswer, ...[route.onSend ?? []].flat()];
  });
}

const sendInEnvelope: Refuse = (_request, reply, refusal) => {
  sendRefusal(reply, refusal);
};
