import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Proof } from "../../auth/proof.ts";
import { type Answer, failure } from "../envelope.ts";
import type { ExpressAsk } from "./express-route.ts";
import { inPieces, type TakeBytes } from "./in-pieces.ts";
import type { ExpressLane, Refused } from "./lane.ts";
import { requestBytesMax, tickMs } from "./lane-limits.ts";
import type { LaneRoute } from "./lane-route.ts";

/** After that many requests of one connection, its other requests wait until the event loop has come round. */
const requestsInARowMax = 4;
/** Bytes that are converted to text at first. Converting all of a long pipeline after each answer would be quadratic. */
const lookBytes = 4_096;
/** More than a socket delivers after it was paused. */
const heldBytesMax = 262_144;

/**
 * One connection. *free*: the next bytes are read here. *busy*: a request is being answered, or other connections have
 * their turn. *lent*: Node's server has exactly one whole request, and returns the connection with the answer. What
 * arrives while it is busy or lent waits. *left*: it belongs to Node for good.
 */
export class LaneConnection {
  readonly #lane: ExpressLane;
  readonly #socket: Socket;
  /** Asked for once: the socket would look it up for every request. */
  readonly #remoteAddress: string | undefined;
  #state: "free" | "busy" | "lent" | "left" = "free";
  #route: LaneRoute | undefined;
  /** Of the request that is being answered. */
  #requestId = "";
  #startedAt = 0;
  /** Received, and not yet looked at. */
  #waiting: Buffer | undefined;
  /** The beginning of a request that follows others, as a packet may end anywhere; and the tick at which it came. */
  #tail: Buffer | undefined;
  #tailAt: number | undefined;
  /** Requests since bytes last arrived or the event loop came round. */
  #inARow = 0;
  /** How Node's server takes bytes, once it has had to do with this connection. */
  #parse: TakeBytes | undefined;
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

  /** Ends what Node's server would end: idle connections, and answers that nobody reads. */
  expire(tick: number): void {
    const { keepAliveTimeout, keepAliveTimeoutBuffer, requestTimeout } = this.#lane.parts.server;
    const silentMs = (tick - this.#heardAt) * tickMs;
    const keptMsMax = keepAliveTimeout + keepAliveTimeoutBuffer;
    const isUnread = this.#state === "busy" && this.#socket.writableLength > 0;
    if (isUnread && silentMs > keptMsMax) this.#socket.destroy();
    if (this.#state !== "free") return;
    // How long a request may take to arrive is for Node's server to say.
    if (this.#tail && tick > this.#tailAt! + 1) this.#leave(this.#withTail());
    else if (this.#isNew && silentMs > requestTimeout) this.#fail("ERR_HTTP_REQUEST_TIMEOUT");
    else if (!this.#isNew && silentMs > keptMsMax) this.#socket.destroy();
  }

  readonly #receive = (bytes: Buffer): void => {
    this.#heardAt = this.#lane.tick;
    if (this.#state !== "free") {
      this.#hold(bytes);
      return;
    }
    this.#inARow = 0;
    this.#serve(this.#withTail(bytes));
  };

  #serve(received: Buffer, proof?: Proof): void {
    let bytes = received;
    let text = textOf(bytes, lookBytes);
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "free" && proof === undefined) this.#countInARow();
      if (this.#state !== "free") {
        this.#hold(from(bytes, at));
        return;
      }
      if (text.length - at < lookBytes / 2 && text.length < bytes.length) {
        bytes = from(bytes, at);
        text = textOf(bytes, lookBytes);
        at = 0;
      }
      const end = this.#serveOne(bytes, text, at, proof);
      if (end === undefined) return;
      at = end;
    }
    if (this.#hasEnded) this.#endIfDone();
  }

  /** LM5: a client that sends thousands of requests at once must not keep the others waiting for all its answers. */
  #countInARow(): void {
    if (++this.#inARow <= requestsInARowMax) return;
    this.#state = "busy";
    setImmediate(this.#takeTurn);
  }

  readonly #takeTurn = (): void => {
    if (this.#socket.destroyed) return;
    this.#inARow = 0;
    this.#goOn();
  };

  /** Where the request ends that begins at `at`; undefined when the rest went the ordinary way. */
  #serveOne(bytes: Buffer, text: string, at: number, proof: Proof | undefined): number | undefined {
    const { request } = this.#lane;
    if (!request.read(text, at)) {
      if (request.isPartial && text.length < bytes.length)
        return this.#serveOne(bytes, textOf(bytes, 4 * text.length), at, proof);
      const isShort = text.length - at <= requestBytesMax;
      if (request.isPartial && isShort && !this.#isNew && !this.#hasEnded) this.#keepTail(from(bytes, at));
      else this.#leave(from(bytes, at));
      return undefined;
    }
    this.#tailAt = undefined;
    const { end } = request;
    this.#startedAt = performance.now();
    const understood = this.#lane.understand(bytes, text, at, this.#remoteAddress, proof);
    if (understood === undefined) {
      if (this.#lane.isClosing) this.#leave(from(bytes, at));
      else if (end === bytes.length) this.#lend(from(bytes, at));
      else this.#lend(bytes.subarray(at, end), bytes.subarray(end));
      return undefined;
    }
    this.#state = "busy";
    if (understood instanceof Promise) {
      this.#serveProved(bytes.subarray(at, end), understood);
      return end;
    }
    this.#requestId = this.#lane.parts.requestIds.of(this.#remoteAddress, request.requestId);
    if ("refusal" in understood) this.#refuse(understood);
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

  #refuse({ route, refusal, isHeld }: Refused): void {
    this.#route = route;
    const answer = failure(refusal);
    if (isHeld) this.#lane.parts.gatekeeper.hold(() => this.#answerLater(answer));
    else this.#answer(answer);
  }

  #ask(route: LaneRoute, ask: ExpressAsk): void {
    this.#route = route;
    let answer: Answer | Promise<Answer>;
    try {
      answer = route.handle(ask);
    } catch (error) {
      answer = this.#lane.answerTo(error, route, this.#requestId);
    }
    if (answer instanceof Promise) answer.then(this.#answerLater, this.#failLater);
    else this.#answer(answer);
  }

  readonly #answerLater = (answer: Answer): void => {
    this.#answer(answer);
    if (this.#state === "free") this.#goOn();
  };

  readonly #failLater = (error: unknown): void => {
    this.#answerLater(this.#lane.answerTo(error, this.#route!, this.#requestId));
  };

  #answer(answer: Answer): void {
    const lane = this.#lane;
    const socket = this.#socket;
    lane.answered++;
    this.#route!.count(answer.status, performance.now() - this.#startedAt);
    if (!socket.writable) return;
    const wasTaken = lane.responses.send(socket, answer, this.#requestId, lane.isClosing);
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
    if (this.#waiting.length > heldBytesMax) this.#socket.destroy();
    else this.#socket.pause();
  }

  #keepTail(bytes: Buffer): void {
    this.#tail = bytes;
    this.#tailAt ??= this.#lane.tick;
  }

  #withTail(bytes?: Buffer): Buffer {
    const tail = this.#tail;
    this.#tail = undefined;
    return tail && bytes ? Buffer.concat([tail, bytes]) : (tail ?? bytes!);
  }

  /** For a whole request of another kind: Node's server answers it, and the connection comes back for the rest. */
  #lend(bytes: Buffer, rest?: Buffer): void {
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
    if (this.#requests !== 1 || !response!.req.complete) {
      this.#leave(rest);
      return;
    }
    response!.on("close", this.#comeBack);
    if (rest) this.#hold(rest);
  }

  /** What Node's server makes of the bytes lent to it. */
  borrowed(response: ServerResponse): void {
    this.#requests++;
    this.#response = response;
  }

  readonly #comeBack = (): void => {
    // What comes on a connection that is being closed is nothing to act on.
    if (this.#state !== "lent" || !this.#socket.writable) return;
    this.#isNew = false;
    this.#heardAt = this.#lane.tick;
    this.#goOn();
  };

  /** Makes the connection known to Node's server, but stays in front of it. */
  #introduce(): TakeBytes {
    const socket = this.#socket;
    socket.off("data", this.#receive);
    this.#lane.passOn(socket);
    const [parse] = socket.listeners("data") as TakeBytes[];
    socket.off("data", parse);
    socket.on("data", this.#receive);
    return parse;
  }

  /** To Node's server, for good. */
  #leave(bytes?: Buffer): void {
    const socket = this.#socket;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#state = "left";
    this.#parse ??= this.#introduce();
    socket.off("data", this.#receive);
    socket.on("data", inPieces(socket, this.#parse));
    socket.off("end", this.#end);
    socket.off("error", this.#ignore);
    socket.off("close", this.#close);
    this.#lane.forget(this);
    // Before Node's server sees the bytes: it may have its own reasons to pause.
    if (waiting) socket.resume();
    const unread = bytes && waiting ? Buffer.concat([bytes, waiting]) : (bytes ?? waiting);
    if (unread) socket.emit("data", unread);
  }

  /** The other side has said all it had to say. */
  readonly #end = (): void => {
    this.#hasEnded = true;
    if (this.#tail) this.#fail("HPE_INVALID_EOF_STATE");
    else this.#endIfDone();
  };

  #endIfDone(): void {
    if (this.#state === "free" && this.#waiting === undefined) this.#socket.end();
  }

  /** Ends the connection as Node's server does for this error. */
  #fail(code: string): void {
    const error = Object.assign(new Error(`The connection failed: ${code}.`), { code });
    this.#lane.parts.server.emit("clientError", error, this.#socket);
  }

  readonly #ignore = (): void => {};

  readonly #close = (): void => this.#lane.forget(this);
}

function textOf(bytes: Buffer, bytesMax: number): string {
  return bytes.toString("latin1", 0, Math.min(bytes.length, bytesMax));
}

function from(bytes: Buffer, at: number): Buffer {
  return at === 0 ? bytes : bytes.subarray(at);
}
