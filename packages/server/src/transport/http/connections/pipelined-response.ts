import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const unansweredMax = 16;

/** Per connection: unfinished responses, in the order of their requests. */
const pipelines = new WeakMap<Socket, PipelinedResponse[]>();

export function hasUnanswered(socket: Socket): boolean {
  return (pipelines.get(socket)?.length ?? 0) > 0;
}

/**
 * LM5: a response that waits for the earlier ones on its connection. Otherwise Node handles all pipelined requests at once and
 * keeps their responses in memory until the client reads them.
 */
export class PipelinedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  readonly #pipeline: PipelinedResponse[];
  #begin: (() => void) | undefined;

  constructor(request: Request, ...options: []) {
    super(request, ...options);
    const { socket } = request;
    this.#pipeline = pipelineOf(socket);
    if (this.#pipeline.length >= unansweredMax) {
      // Keeps Node from parsing the rest of the socket's data. A destroyed socket cannot be paused.
      socket.pause();
      socket.destroy();
      return;
    }
    this.#pipeline.push(this);
  }

  /** Calls `begin` once all earlier requests have been answered; never if the client disconnects before that. */
  inOrder(begin: () => void): void {
    if (this.#pipeline[0] === this) begin();
    else this.#begin = begin;
  }

  /** Node calls this when the response has been sent. A `finish` listener would cost more on every request. */
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
