import type { Position } from "@openseat/protocol";
import { busy, type OpenseatError, unreachable } from "../errors.ts";
import type { Clock, Socket } from "../platform.ts";

/** A message the server pushes: a view or a change of a room. */
export interface FeedMessage {
  readonly type: "view" | "change";
  readonly version: number;
  readonly [field: string]: unknown;
}

/** A message about a line: the same for everyone in it, or about one place. */
export type PlaceMessage =
  | { readonly type: "pulse"; readonly queue: string; readonly moved: number; readonly waiting: number }
  | { readonly type: "position"; readonly position: Position };

/** Status and body of the same request over HTTP. */
export interface LiveAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface LinkDeps {
  readonly clock: Clock;
  readonly onOpen: () => void;
  readonly onFeed: (message: FeedMessage) => void;
  readonly onPlace: (message: PlaceMessage) => void;
  /** Called once, whatever the reason. */
  readonly onEnd: (reason: OpenseatError) => void;
}

const limits = {
  openMsMax: 10_000,
  /** Without an answer in this time, the connection counts as dead. */
  answerMsMax: 10_000,
  pingEveryMs: 15_000,
  asksMax: 1_000,
  messageLengthMax: 4_194_304,
} as const;

interface Pending {
  readonly resolve: (answer: LiveAnswer) => void;
  readonly reject: (reason: OpenseatError) => void;
  readonly cancelTimeout: () => void;
}

/** One WebSocket, from opening to closing. */
export class LiveLink {
  readonly #socket: Socket;
  readonly #deps: LinkDeps;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #isOver = false;
  #cancelTimer: () => void;

  constructor(socket: Socket, deps: LinkDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#cancelTimer = deps.clock.after(limits.openMsMax, () => this.end("it did not open in time"));
    socket.addEventListener("open", () => this.#onOpen());
    socket.addEventListener("message", (event) => this.#onMessage((event as { data?: unknown }).data));
    socket.addEventListener("error", () => this.end("the connection failed"));
    socket.addEventListener("close", () => this.end("the connection was closed"));
  }

  /** Rejects when the connection ends before the answer. */
  ask(message: { readonly type: string; readonly [field: string]: unknown }): Promise<LiveAnswer> {
    if (this.#isOver) return Promise.reject(unreachable("the connection is over"));
    if (this.#pending.size >= limits.asksMax) return Promise.reject(busy("messages"));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#deps.clock.after(limits.answerMsMax, () =>
        this.end("it stopped answering"),
      );
      this.#pending.set(id, { resolve, reject, cancelTimeout });
      try {
        this.#socket.send(JSON.stringify({ id, ...message }));
      } catch {
        this.end("sending failed");
      }
    });
  }

  /** Pings the server. */
  check(): void {
    // Ignore the rejection: a missing answer ends the link anyway.
    this.ask({ type: "ping" }).catch(() => {});
  }

  end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    const reason = unreachable(why);
    for (const { reject, cancelTimeout } of this.#pending.values()) {
      cancelTimeout();
      reject(reason);
    }
    this.#pending.clear();
    // Do not wait for the close: it can take minutes on a dead network.
    this.#socket.close();
    this.#deps.onEnd(reason);
  }

  #onOpen(): void {
    if (this.#isOver) return;
    this.#cancelTimer();
    this.#pingLater();
    this.#deps.onOpen();
  }

  #pingLater(): void {
    this.#cancelTimer = this.#deps.clock.after(limits.pingEveryMs, () => {
      this.#pingLater();
      this.check();
    });
  }

  #onMessage(data: unknown): void {
    if (this.#isOver) return;
    const message = messageIn(data);
    if (!message) {
      this.end("it sent an invalid message");
      return;
    }
    if (message.type === "view" || message.type === "change") {
      this.#deps.onFeed(message as unknown as FeedMessage);
      return;
    }
    if (message.type === "pulse" || message.type === "position") {
      this.#deps.onPlace(message as unknown as PlaceMessage);
      return;
    }
    if (message.type !== "answer") return;
    // The server stopped following a place because its token has expired: authenticate with a new one.
    if (message.id === null) {
      this.end("it needs a new token");
      return;
    }
    const pending = this.#pending.get(message.id as number);
    if (!pending) return;
    this.#pending.delete(message.id as number);
    pending.cancelTimeout();
    pending.resolve({ status: Number(message.status), body: message.body });
  }
}

function messageIn(data: unknown): Record<string, unknown> | undefined {
  if (typeof data !== "string" || data.length > limits.messageLengthMax) return undefined;
  try {
    const message: unknown = JSON.parse(data);
    return typeof message === "object" && message !== null ? (message as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
