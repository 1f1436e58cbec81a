import { closed, OpenseatError, unreachable } from "../errors.ts";
import { pauseMs } from "../http/retry.ts";
import type { Clock, SocketClass } from "../platform.ts";
import { type FeedMessage, type LiveAnswer, LiveLink, type PlaceMessage } from "./live-link.ts";

/** `lost`: the connection broke and is being retried. `idle`: nothing is watched. */
export type Connection = "idle" | "connecting" | "open" | "lost";

export interface LiveSocketDeps {
  readonly url: string;
  /** Undefined where the platform has no WebSocket. */
  readonly socketClass: () => SocketClass | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Authenticates, before any other message. */
  readonly authenticate: (socket: LiveSocket) => Promise<void>;
  readonly onConnection: (connection: Connection) => void;
  readonly onOpen: () => void;
  readonly onFeed: (message: FeedMessage) => void;
  readonly onPlace: (message: PlaceMessage) => void;
}

/** Keep an unused connection this long, because the next page may watch again. */
const idleMs = 20_000;
/** A connection that lasted this long resets the count of failures. */
const steadyMs = 5_000;

/** One connection for all live data: open while something is watched or followed, and reopened when it breaks. */
export class LiveSocket {
  readonly #deps: LiveSocketDeps;
  #connection: Connection = "idle";
  #link: LiveLink | undefined;
  /** What needs the connection. */
  readonly #users = new Set<object>();
  #isClosed = false;
  #failures = 0;
  #openedAt: number | undefined;
  #cancelRetry: (() => void) | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor(deps: LiveSocketDeps) {
    this.#deps = deps;
  }

  get connection(): Connection {
    return this.#connection;
  }

  get isPossible(): boolean {
    return this.#deps.socketClass() !== undefined;
  }

  acquire(user: object): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    this.#users.add(user);
    if (this.#link || this.#cancelRetry || this.#isClosed) return;
    this.#become("connecting");
    this.#open();
  }

  /** When the last user has released the connection, it is closed after a while. */
  release(user: object): void {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
    this.#cancelIdle?.();
    this.#cancelIdle = this.#deps.clock.after(idleMs, () => this.#stop("nothing is watched"));
  }

  ask(message: { readonly type: string; readonly [field: string]: unknown }): Promise<LiveAnswer> {
    return this.#link?.ask(message) ?? Promise.reject(unreachable("there is no connection"));
  }

  /** The network or the reader is back: reconnect at once, or check the open connection. */
  reconnectNow(): void {
    if (this.#cancelRetry) {
      this.#failures = 0;
      this.#retry();
    } else if (this.#connection === "open") this.#link?.check();
  }

  /** Reconnects. Watches resume at their last version. */
  reconnect(why: string): void {
    this.#link?.end(why);
  }

  close(): void {
    this.#isClosed = true;
    this.#users.clear();
    this.#stop(closed().message);
  }

  #stop(why: string): void {
    this.#cancelIdle?.();
    this.#cancelRetry?.();
    this.#cancelIdle = this.#cancelRetry = undefined;
    this.#link?.end(why);
    this.#become("idle");
  }

  #open(): void {
    const { url, clock, onFeed, onPlace } = this.#deps;
    this.#openedAt = undefined;
    try {
      const socketClass = this.#deps.socketClass()!;
      this.#link = new LiveLink(new socketClass(url), {
        clock,
        onFeed,
        onPlace,
        onOpen: () => void this.#onLinkOpen(),
        onEnd: () => this.#onEnd(),
      });
    } catch {
      this.#onEnd();
    }
  }

  async #onLinkOpen(): Promise<void> {
    const link = this.#link;
    try {
      await this.#deps.authenticate(this);
    } catch (error) {
      link?.end(error instanceof OpenseatError ? error.message : "authentication failed");
      return;
    }
    if (this.#link !== link) return;
    this.#openedAt = this.#deps.clock.now();
    this.#become("open");
    this.#deps.onOpen();
  }

  #onEnd(): void {
    this.#link = undefined;
    if (this.#users.size === 0) {
      this.#become("idle");
      return;
    }
    const { clock, random } = this.#deps;
    if (this.#openedAt !== undefined && clock.now() - this.#openedAt >= steadyMs) this.#failures = 0;
    this.#cancelRetry = clock.after(pauseMs(this.#failures++, random), () => this.#retry());
    this.#become("lost");
  }

  #retry(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#open();
  }

  #become(connection: Connection): void {
    if (this.#connection === connection) return;
    this.#connection = connection;
    this.#deps.onConnection(connection);
  }
}
