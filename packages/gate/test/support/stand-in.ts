import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { admissionOf, issuer, Stage, sessionOf } from "../../../server/test/admission/people.ts";

type Admitted = Parameters<typeof admissionOf>[0];

export const keysCall = "GET /.well-known/jwks.json";
export const claimCall = "POST /api/v1/sessions";
export const probeCall = "GET /api/v1/queues/shop";
export const gateCall = "GET /gate/shop";

/** Stands in for Openseat with its real tokens and keys, and fails as it is told. */
export class StandIn {
  readonly issuer = issuer;
  readonly queue = "shop";
  readonly serviceKey = "service_of_the_stand_in";
  readonly stage = new Stage();
  /** The received calls, in order. */
  readonly asked: string[] = [];
  /** Ids of sessions that were ended. */
  readonly ended = new Set<string>();
  /** What it does with each call. */
  mood: "fine" | "hangs" | "fails" | "refuses" | "resets" | "redirects" | "babbles" = "fine";
  /** The status while it refuses. */
  refusal = 503;
  /** Replaces the list of keys, or single calls. */
  keys: string | undefined;
  claims: string | undefined;
  /** Before it answers. */
  slowMs = 0;
  readonly #server = createServer((request, response) => {
    // The gate may give up before its body has arrived.
    this.#receive(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<StandIn> {
    const standIn = new StandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The token of a newly admitted person. */
  admit(ticket: number, changes: Admitted = {}): string {
    const times = { issuedAt: Date.now(), expiresAt: Date.now() + 60_000 };
    return this.stage.proofs.sign(admissionOf({ ticket: ticket as never, ...times, ...changes }));
  }

  /** The token of a session. */
  session(ticket: number, changes: Admitted = {}): string {
    const times = { issuedAt: Date.now(), expiresAt: Date.now() + 600_000 };
    return this.stage.proofs.sign(
      sessionOf({ ticket: ticket as never, ...times, ...changes }, sessionIdOf(ticket)),
    );
  }

  count(asked: string): number {
    return this.asked.filter((one) => one === asked).length;
  }

  /** Answers again, and forgets what was asked. */
  recover(): void {
    this.mood = "fine";
    this.slowMs = 0;
    this.keys = undefined;
    this.claims = undefined;
    this.asked.length = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = `${request.method} ${request.url}`;
    this.asked.push(asked);
    if (this.slowMs > 0) await new Promise((resolve) => setTimeout(resolve, this.slowMs));
    if (this.mood === "hangs") return;
    if (this.mood === "resets") {
      request.socket.resetAndDestroy();
      return;
    }
    if (this.mood === "fails") {
      // A proxy in front of it.
      response.writeHead(502, { "Content-Type": "text/html" }).end("<h1>Bad Gateway</h1>");
      return;
    }
    if (this.mood === "refuses") return refuse(response, this.refusal, "log.unavailable");
    if (this.mood === "redirects") {
      response.writeHead(302, { Location: "/" }).end();
      return;
    }
    if (this.mood === "babbles") return this.#babble(response);
    await this.#answer(asked, request, response);
  }

  async #answer(asked: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (asked === keysCall) return this.#sendKeys(response);
    if (asked === gateCall) return this.#check(response, String(request.headers["x-openseat-session"]));
    if (request.headers.authorization !== `Bearer ${this.serviceKey}`)
      return refuse(response, 401, "auth.invalid");
    if (asked === probeCall) return send(response, 200, { data: { queue: { id: this.queue } } });
    if (asked === claimCall) return this.#claim(response, await bodyOf(request));
    const [, id, verb] = /^POST \/api\/v1\/sessions\/([\w-]+)\/(complete|heartbeat)$/.exec(asked) ?? [];
    if (id === undefined) return refuse(response, 404, "route.not-found");
    if (!this.#isActive(id)) return refuse(response, 409, "place.over");
    if (verb === "complete") this.ended.add(id);
    const ticket = Number(/\d+/.exec(id));
    send(response, 200, { data: { session: { id, queue: this.queue, token: this.session(ticket) } } });
  }

  #isActive(id: string): boolean {
    return /^shop-\d+-unguessable$/.test(id) && !this.ended.has(id);
  }

  #sendKeys(response: ServerResponse): void {
    const keys = this.keys ?? JSON.stringify({ keys: this.stage.proofs.publicKeys() });
    response.writeHead(200, { "Content-Type": "application/json" }).end(keys);
  }

  #check(response: ServerResponse, id: string): void {
    if (this.#isActive(id)) response.writeHead(204).end();
    else refuse(response, 401, "session.missing");
  }

  #claim(response: ServerResponse, { token, queue }: { token: string; queue: string }): void {
    const checked = this.stage.proofs.checkFor(token, { use: "admission", queue }, Date.now());
    if (this.claims !== undefined) response.writeHead(200).end(this.claims);
    else if ("refusal" in checked) refuse(response, 400, checked.refusal.code);
    else {
      const { ticket, person } = checked.value;
      const id = sessionIdOf(ticket);
      const session = { id, queue, status: "ACTIVE", token: this.session(ticket, { person }) };
      if (this.#isActive(id)) send(response, 201, { data: { session } });
      else refuse(response, 409, "place.over");
    }
  }

  /** An endless answer. */
  #babble(response: ServerResponse): void {
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.writeHead(200, { "Content-Type": "application/json" }).on("drain", more);
    more();
  }
}

export const sessionIdOf = (ticket: number) => `shop-${ticket}-unguessable`;

async function bodyOf(request: IncomingMessage): Promise<{ token: string; queue: string }> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return JSON.parse(text);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  send(response, status, { success: false, message: "No.", statusCode: status, code });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
