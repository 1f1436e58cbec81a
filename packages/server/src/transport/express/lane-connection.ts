import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Proof } from "../auth/identity.ts";
import type { Answer } from "../envelope.ts";
import type { ExpressAsk } from "./express-route.ts";
import { type ExpressLane, tickMs } from "./lane.ts";
import type { LaneRoute } from "./lane-route.ts";

/**
 * One connection. *free*: the next bytes are looked at here. *busy*: a request is being answered, and what comes
 * meanwhile waits. *lent*: Node's server has exactly one whole request, and gives the connection back with the answer.
 * *left*: it is Node's for good.
 */
export class LaneConnection {
  readonly #lane: ExpressLane;
  readonly #socket: Socket;
  /** Asked for once: the socket would look it up for every request. */
  readonly #remoteAddress: string | undefined;
  #state: "free" | "busy" | "lent" | "left" = "free";
  #route: LaneRoute | undefined;
  /** Received, and not yet looked at. */
  #waiting: Buffer | undefined;
  /** How Node's server takes bytes, once it has had to do with this connection. */
  #parse: ((bytes: Buffer) => void) | undefined;
  #requests = 0;
  #response: ServerResponse | undefined;
  #isNew = true;
  #hasEnded = false;
  /** The lane's tick at the last sign of life. */
  #heardAt: number;

  constructor(lane: ExpressLane, socket: Socket) {
    this.#lane = lane;
    this.#socket = socket;
    this.#remoteAddress = socket.remoteAddress;
    this.#heardAt = lane.tick;
    socket.on("data", this.#receive);
    socket.on("end", this.#end);
    socket.on("error", this.#ignore);
    socket.on("close", this.#close);
  }

  /** Before the server stops. */
  stop(): void {
    if (this.#state === "free") this.#socket.destroy();
    else if (this.#state === "lent") this.#leave();
  }

  cut(): void {
    this.#socket.destroy();
  }

  /** Nothing has come and nothing was taken for long: it is idle, or its answer waits for a reader who does not read. */
  expire(tick: number): void {
    const { keepAliveTimeout, keepAliveTimeoutBuffer, requestTimeout } = this.#lane.parts.server;
    const idleMsMax = this.#isNew ? requestTimeout : keepAliveTimeout + keepAliveTimeoutBuffer;
    const isUnread = this.#state === "busy" && this.#socket.writableLength > 0;
    const isOver = (tick - this.#heardAt) * tickMs > idleMsMax;
    if (isOver && (this.#state === "free" || isUnread)) this.#socket.destroy();
  }

  readonly #receive = (bytes: Buffer): void => {
    this.#heardAt = this.#lane.tick;
    if (this.#state === "free") this.#serve(bytes);
    else if (this.#state === "busy") this.#hold(bytes);
    // More while Node's server is at it: whose turn it is afterwards is for Node's server to know.
    else this.#leave(bytes);
  };

  #serve(bytes: Buffer, proof?: Proof): void {
    const text = bytes.toString("latin1");
    let at = 0;
    while (at < text.length) {
      if (this.#state !== "free") {
        this.#hold(from(bytes, at));
        return;
      }
      const end = this.#serveOne(bytes, text, at, proof);
      if (end === undefined) return;
      at = end;
    }
    if (this.#hasEnded) this.#endIfDone();
  }

  /** Where the request ends that begins at `at`; undefined when the rest went the ordinary way. */
  #serveOne(bytes: Buffer, text: string, at: number, proof: Proof | undefined): number | undefined {
    const { request } = this.#lane;
    if (!request.read(text, at)) {
      this.#leave(from(bytes, at));
      return undefined;
    }
    const { end } = request;
    const understood = this.#lane.understand(bytes, text, at, this.#remoteAddress, proof);
    if (understood === undefined) {
      const isAlone = end === text.length && this.#waiting === undefined;
      if (isAlone && !this.#lane.isClosing) this.#lend(from(bytes, at));
      else this.#leave(from(bytes, at));
      return undefined;
    }
    this.#state = "busy";
    if (understood instanceof Promise) this.#serveProved(bytes.subarray(at, end), understood);
    else this.#ask(understood.route, understood.ask);
    return end;
  }

  /** Keys that had to be fetched: the request is looked at once more, now that it is known who asks. */
  #serveProved(own: Buffer, proving: Promise<Proof>): void {
    proving.then((proof) => {
      if (this.#socket.destroyed) return;
      this.#state = "free";
      this.#serve(own, proof);
      if (this.#state === "free") this.#goOn();
    });
  }

  #ask(route: LaneRoute, ask: ExpressAsk): void {
    this.#route = route;
    let answer: Answer | Promise<Answer>;
    try {
      answer = route.handle(ask);
    } catch (error) {
      answer = this.#lane.answerTo(error, route);
    }
    if (answer instanceof Promise) answer.then(this.#answerLater, this.#failLater);
    else this.#answer(answer);
  }

  readonly #answerLater = (answer: Answer): void => {
    this.#answer(answer);
    if (this.#state === "free") this.#goOn();
  };

  readonly #failLater = (error: unknown): void => {
    this.#answerLater(this.#lane.answerTo(error, this.#route!));
  };

  #answer(answer: Answer): void {
    const lane = this.#lane;
    const socket = this.#socket;
    lane.answered++;
    this.#route!.count(answer.status);
    if (!socket.writable) return;
    const wasTaken = lane.responses.send(socket, answer, lane.isClosing);
    if (lane.isClosing) return;
    this.#isNew = false;
    this.#heardAt = lane.tick;
    // Whoever asks and does not listen is not asked what else they want.
    if (wasTaken) this.#state = "free";
    else socket.once("drain", this.#goOn);
  }

  readonly #goOn = (): void => {
    this.#state = "free";
    const waiting = this.#waiting;
    if (this.#lane.isClosing) {
      this.#socket.destroySoon();
    } else if (waiting !== undefined) {
      this.#waiting = undefined;
      this.#socket.resume();
      this.#serve(waiting);
    } else if (this.#hasEnded) {
      this.#endIfDone();
    }
  };

  #hold(bytes: Buffer): void {
    this.#waiting = this.#waiting === undefined ? bytes : Buffer.concat([this.#waiting, bytes]);
    this.#socket.pause();
  }

  /** For a whole request of another kind: Node's server answers it, and the connection comes back. */
  #lend(bytes: Buffer): void {
    this.#parse ??= this.#introduce();
    this.#state = "lent";
    this.#requests = 0;
    this.#lane.borrower = this;
    try {
      this.#parse.call(this.#socket, bytes);
    } finally {
      this.#lane.borrower = undefined;
    }
    const response = this.#response;
    this.#response = undefined;
    // Anything but one request, all of it there: the two do not read alike, so Node's server has the say from now on.
    if (this.#requests !== 1 || !response!.req.complete) this.#leave();
    else response!.on("close", this.#comeBack);
  }

  /** What Node's server makes of the bytes lent to it. */
  borrowed(response: ServerResponse): void {
    this.#requests++;
    this.#response = response;
  }

  readonly #comeBack = (): void => {
    // What comes on a connection that is being closed is nothing to act on.
    if (this.#state !== "lent" || !this.#socket.writable) return;
    this.#state = "free";
    this.#heardAt = this.#lane.tick;
    // That the other side is done was said while the lane was busy: Node's server has not heard it.
    if (this.#hasEnded) this.#socket.end();
  };

  /** Makes the connection known to Node's server, but stays in front of it. */
  #introduce(): (bytes: Buffer) => void {
    const socket = this.#socket;
    this.#passOn();
    const [parse] = socket.listeners("data") as ((bytes: Buffer) => void)[];
    socket.off("data", parse);
    socket.on("data", this.#receive);
    return parse;
  }

  #passOn(): void {
    const socket = this.#socket;
    socket.off("data", this.#receive);
    this.#lane.passOn(socket);
  }

  /** To Node's server, for good. */
  #leave(bytes?: Buffer): void {
    const socket = this.#socket;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#state = "left";
    if (this.#parse) {
      socket.off("data", this.#receive);
      socket.on("data", this.#parse);
    } else {
      this.#passOn();
    }
    socket.off("end", this.#end);
    socket.off("error", this.#ignore);
    socket.off("close", this.#close);
    this.#lane.forget(this);
    // Before Node's server sees the bytes: it may have its own reasons to pause.
    if (waiting) socket.resume();
    if (bytes) socket.emit("data", bytes);
    if (waiting) socket.emit("data", waiting);
  }

  /** The other side has said all it had to say. */
  readonly #end = (): void => {
    this.#hasEnded = true;
    this.#endIfDone();
  };

  /** Once Node's server knows the connection, it sees to that itself. */
  #endIfDone(): void {
    if (this.#state === "free" && this.#waiting === undefined && !this.#parse) this.#socket.end();
  }

  readonly #ignore = (): void => {};

  readonly #close = (): void => this.#lane.forget(this);
}

function from(bytes: Buffer, at: number): Buffer {
  return at === 0 ? bytes : bytes.subarray(at);
}
