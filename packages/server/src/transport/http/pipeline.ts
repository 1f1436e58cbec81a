import type { Socket } from "node:net";
import type { Refusal } from "@openseat/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { Identity } from "../../app/identity.ts";
import { type Access, isForOperators } from "../auth/access.ts";
import { type Traits, traitsOf } from "../limits/gatekeeper.ts";
import { sendRefusal } from "./envelope.ts";
import { sendNotFound } from "./errors.ts";
import type { HeaderBlock } from "./headers/header-block.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How the route answers a limit; in the envelope by default. */
    refuse?: Refuse;
  }
  interface FastifyRequest {
    /** When it began to be answered, as `performance.now()` has it. */
    startedAt: number;
  }
}

type Refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => void;

/** A request, on either way: Fastify's requests fit, and the fast path makes its own. */
export interface Exchange {
  /** OP3: in the answer and in the logs. */
  readonly id: string;
  readonly startedAt: number;
  readonly url: string;
  readonly headers: { readonly authorization?: string | undefined; readonly origin?: string | undefined };
  readonly socket: Socket;
  /** LM8 */
  readonly address: string;
  /** Null until it is authenticated, and on public routes without a token. */
  identity: Identity | null;
}

/** What the steps have to know of a route. */
export interface RouteFacts {
  readonly method: string;
  readonly url: string;
  readonly access: Access;
  readonly traits: Traits;
}

/** What there is to note once an answer is on its way. */
export interface Sent {
  readonly method: string;
  /** Undefined where there is no route. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** Something that is done for every request. */
export interface Step {
  readonly name: string;
  /** On every answer, before the headers of its own. */
  readonly headers?: (exchange: Exchange) => HeaderBlock;
  /** Before the handler. A refusal is the answer, and no later step is asked. */
  readonly admit?: (
    route: RouteFacts,
    exchange: Exchange,
  ) => Refusal | undefined | Promise<Refusal | undefined>;
  /** Whether a refusal is a limit, which some routes answer in a form of their own. */
  readonly isLimit?: true;
  /** When the answer is made. */
  readonly answered?: (route: RouteFacts, exchange: Exchange, status: number) => void;
  /** When the answer is sent. */
  readonly sent?: (exchange: Exchange, sent: Sent) => void;
}

type Phase = "headers" | "admit" | "answered" | "sent";
type StepWith<Name extends Phase> = Step & Required<Pick<Step, Name>>;

/** Why a request goes no further. */
export interface Stop {
  readonly step: Step;
  readonly refusal: Refusal;
}

/** ADR 7: what is done for every request. Fastify's hooks and the fast path are both built from it, and from nothing else. */
export class Pipeline {
  readonly steps: readonly Step[];
  readonly #heading: readonly StepWith<"headers">[];
  readonly #admitting: readonly StepWith<"admit">[];
  readonly #counting: readonly StepWith<"answered">[];
  readonly #noting: readonly StepWith<"sent">[];

  constructor(steps: readonly Step[]) {
    this.steps = steps;
    const having = <Name extends Phase>(phase: Name) =>
      steps.filter((step): step is StepWith<Name> => step[phase] !== undefined);
    this.#heading = having("headers");
    this.#admitting = having("admit");
    this.#counting = having("answered");
    this.#noting = having("sent");
  }

  /** The headers of every answer, as Fastify takes them. */
  *headerLinesFor(exchange: Exchange) {
    for (const step of this.#heading) yield* step.headers(exchange).lines;
  }

  /** The same as text. */
  headerTextFor(exchange: Exchange): string {
    let text = "";
    for (const step of this.#heading) text += step.headers(exchange).text;
    return text;
  }

  /** Undefined when the handler may have the request. A promise only where a step has to wait. */
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
    for (const step of this.#counting) step.answered(route, exchange, status);
  }

  get notesSent(): boolean {
    return this.#noting.length > 0;
  }

  sent(exchange: Exchange, sent: Sent): void {
    for (const step of this.#noting) step.sent(exchange, sent);
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

/** Fastify's side. Must be called before other hooks are added that may answer, and before routes are. */
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
      // AU7: for the public port there is no such route.
      if (isOperators && isHidden(request.socket)) {
        sendNotFound(request, reply);
        return;
      }
      const goOn = (stop: Stop | undefined) => (stop ? answerStop(request, reply, stop) : done());
      const stop = pipeline.admit(facts, request);
      if (stop instanceof Promise) void stop.then(goOn, done);
      else goOn(stop);
    }
    function countAnswer(
      request: FastifyRequest,
      { statusCode }: FastifyReply,
      payload: unknown,
      done: (error: null, payload: unknown) => void,
    ): void {
      pipeline.answered(facts, request, statusCode);
      done(null, payload);
    }
    route.onRequest = [admit, ...[route.onRequest ?? []].flat()];
    route.onSend = [countAnswer, ...[route.onSend ?? []].flat()];
  });
}

const sendInEnvelope: Refuse = (_request, reply, refusal) => {
  sendRefusal(reply, refusal);
};
