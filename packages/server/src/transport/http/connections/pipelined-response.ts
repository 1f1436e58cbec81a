import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

const unansweredMax = 16;

/** Per connection: responses that are not finished, in the order of their requests. */
const pipelines = new WeakMap<Socket, PipelinedResponse[]>();

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

/** The `ServerResponse` class of a server: Node calls it with `new` for each request that it has parsed. */
export function newResponse(request: IncomingMessage, ...options: []): PipelinedResponse | SurplusResponse {
  const { socket } = request;
  const unanswered = pipelines.get(socket)?.length ?? 0;
  // Passing the pipeline along as well would make the spread, and so each request, a seventh slower.
  if (unanswered < unansweredMax) return new PipelinedResponse(request, ...options);
  if (!socket.destroyed) closeCheaply(socket);
  return surplus;
}

/** LM5: the rest of the packet is parsed all the same. It may hold thousands of requests, so each must cost little. */
function closeCheaply(socket: Socket): void {
  // On `close`, Node makes two errors per unanswered request. Their stacks would cost more than all the rest.
  const { stackTraceLimit } = Error;
  socket.prependOnceListener("close", () => {
    Error.stackTraceLimit = 0;
  });
  socket.once("close", () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  // Keeps Node from parsing what the socket still holds. A destroyed socket cannot be paused.
  socket.pause();
  socket.destroy();
}

/** For requests past the limit. It ignores what Node does with a response before a handler has it. */
class SurplusResponse extends ServerResponse {
  inTurn(): void {}
  override assignSocket(): void {}
  override writeContinue(): void {}
  override destroy(): this {
    return this;
  }
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

/** One for all: there may be thousands in one packet. */
const surplus = new SurplusResponse(new IncomingMessage(new Socket()));
