import { IncomingMessage, type ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const unansweredMax = 16;

/** Per connection: responses that are not finished, in the order of their requests. */
const pipelines = new WeakMap<Socket, PipelinedResponse[]>();
/** Per connection that has too many: what stands for its requests past the limit. */
const surplus = new WeakMap<Socket, SurplusRequest>();

export function hasUnanswered(socket: Socket): boolean {
  return (pipelines.get(socket)?.length ?? 0) > 0;
}

/**
 * LM5: a response that waits for the earlier ones on its connection. Without it, Node begins all pipelined requests at once
 * and keeps their answers in memory until the client reads them.
 */
export class PipelinedResponse extends ServerResponse {
  readonly #pipeline: PipelinedResponse[];
  #begin: (() => void) | undefined;

  constructor(request: IncomingMessage, ...options: []) {
    super(request, ...options);
    this.#pipeline = pipelineOf(request.socket);
    this.#pipeline.push(this);
  }

  /** Calls `begin` once every earlier request has been answered and sent; never if the client leaves before that. */
  inTurn(begin: () => void): void {
    if (this.#pipeline[0] === this) begin();
    else this.#begin = begin;
  }

  /** Node calls this when the answer has been sent. A listener for `finish` would cost more on every request. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    if (this.#pipeline[0] === this) this.#pipeline.shift();
    const [next] = this.#pipeline;
    if (next) process.nextTick(() => next.#beginNow());
  }

  #beginNow(): void {
    const begin = this.#begin;
    this.#begin = undefined;
    if (!this.req.socket.destroyed) begin?.();
  }
}

function pipelineOf(socket: Socket): PipelinedResponse[] {
  let pipeline = pipelines.get(socket);
  if (!pipeline) {
    pipeline = [];
    pipelines.set(socket, pipeline);
  }
  return pipeline;
}

/** Node calls both with `new`, for each request that it parses. */
export const pipelinedClasses = {
  IncomingMessage: newRequest as unknown,
  ServerResponse: newResponse as unknown,
} as ServerOptions;

function newRequest(socket: Socket): IncomingMessage {
  const isFull = (pipelines.get(socket)?.length ?? 0) >= unansweredMax;
  return isFull ? surplusOf(socket) : new IncomingMessage(socket);
}

function newResponse(request: IncomingMessage, ...options: []): ServerResponse {
  return request instanceof SurplusRequest ? request.response : new PipelinedResponse(request, ...options);
}

/** LM5: closes the connection. Node parses the rest of the packet, thousands of requests perhaps, so one stands for them all. */
function surplusOf(socket: Socket): SurplusRequest {
  let request = surplus.get(socket);
  if (!request) {
    request = new SurplusRequest(socket);
    surplus.set(socket, request);
    closeCheaply(socket);
  }
  return request;
}

function closeCheaply(socket: Socket): void {
  // When the connection closes, Node creates two errors per unanswered request. Their stacks would cost more than all the rest.
  const { stackTraceLimit } = Error;
  socket.prependOnceListener("close", () => {
    Error.stackTraceLimit = 0;
  });
  socket.once("close", () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  // Before the end, as a destroyed socket cannot be paused: packets that it holds already must not be parsed.
  socket.pause();
  socket.destroy();
}

class SurplusRequest extends IncomingMessage {
  readonly response = new SurplusResponse(this);

  /** Drops bodies. */
  override push(): boolean {
    return true;
  }
}

/** Ignores what Node does with each response before a handler has it. */
class SurplusResponse extends ServerResponse {
  inTurn(): void {}
  override assignSocket(): void {}
  override writeContinue(): void {}
  override on(): this {
    return this;
  }
  override writeHead(): this {
    return this;
  }
  override end(): this {
    return this;
  }
}
