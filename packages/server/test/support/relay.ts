import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Sits between a node and PostgreSQL, and injects network failures. */
export class Relay {
  readonly #server: Server;
  #targetPort: number;
  readonly #ways = new Set<Way>();
  readonly #terms: Terms = { isSwallowing: false, isRefusing: false, delayMs: 0 };

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.#targetPort = targetPort;
  }

  static async start(targetPort: number): Promise<Relay> {
    const server = createServer({ allowHalfOpen: true });
    const relay = new Relay(server, targetPort);
    server.on("connection", (near) => relay.#accept(near));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resets every connection, like a failing router. New ones work as before. */
  cut(): void {
    for (const way of [...this.#ways]) way.reset();
  }

  /** Resets every connection and each new one, until `heal`. */
  refuse(): void {
    this.#terms.isRefusing = true;
    this.cut();
  }

  /** Routes new connections to another server and breaks existing ones. */
  lead(targetPort: number): void {
    this.#targetPort = targetPort;
    this.cut();
  }

  /** Forwards and closes nothing, including new connections. Data sent meanwhile arrives after `heal`. */
  swallow(): void {
    this.#terms.isSwallowing = true;
  }

  /** Adds this delay in both directions. */
  delay(ms: number): void {
    this.#terms.delayMs = ms;
  }

  heal(): void {
    Object.assign(this.#terms, { isSwallowing: false, isRefusing: false, delayMs: 0 });
    for (const way of [...this.#ways]) way.pump();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #accept(near: Socket): void {
    if (this.#terms.isRefusing) reset(near);
    else new Way(near, this.#targetPort, this.#terms, this.#ways);
  }
}

interface Terms {
  isSwallowing: boolean;
  isRefusing: boolean;
  delayMs: number;
}

/** One connection, in both directions. */
class Way {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #there: Flow;
  readonly #back: Flow;
  readonly #all: Set<Way>;

  constructor(near: Socket, targetPort: number, terms: Terms, all: Set<Way>) {
    const far = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true });
    this.#near = near;
    this.#far = far;
    this.#there = new Flow(far, terms);
    this.#back = new Flow(near, terms);
    this.#all = all.add(this);
    this.#join(near, far, this.#there);
    this.#join(far, near, this.#back);
  }

  #join(from: Socket, to: Socket, flow: Flow): void {
    from.setNoDelay(true);
    from.on("data", (chunk) => flow.push(() => to.write(chunk)));
    from.on("end", () => flow.push(() => to.end()));
    // Treat a reset like data: through a network that drops everything, no reset arrives either.
    from.on("error", () => flow.push(() => this.reset()));
    from.on("close", () => {
      if (this.#near.destroyed && this.#far.destroyed) this.#all.delete(this);
    });
  }

  pump(): void {
    this.#there.pump();
    this.#back.pump();
  }

  reset(): void {
    this.#there.end();
    this.#back.end();
    reset(this.#near);
    reset(this.#far);
    this.#all.delete(this);
  }
}

function reset(socket: Socket): void {
  // A connection that is being ended cannot be reset: it would stay open and keep the process alive.
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Data under way in one direction, in order. */
class Flow {
  readonly #to: Socket;
  readonly #terms: Terms;
  readonly #waiting: { readonly at: number; readonly pass: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(to: Socket, terms: Terms) {
    this.#to = to;
    this.#terms = terms;
  }

  push(pass: () => void): void {
    this.#waiting.push({ at: performance.now() + this.#terms.delayMs, pass });
    this.pump();
  }

  pump(): void {
    clearTimeout(this.#timer);
    while (this.#waiting.length > 0 && !this.#terms.isSwallowing) {
      const leftMs = this.#waiting[0].at - performance.now();
      if (leftMs > 0 && this.#terms.delayMs > 0) {
        this.#timer = setTimeout(() => this.pump(), leftMs);
        return;
      }
      const { pass } = this.#waiting.shift()!;
      if (!this.#to.destroyed) pass();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }
}
