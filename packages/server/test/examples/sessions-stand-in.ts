import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { refusals } from "@openseat/kernel";
import type { Admission } from "../../src/app/queues/admission-proofs.ts";
import { admissionOf, issuer, Stage, sessionOf } from "../admission/people.ts";

/**
 * Stands in for the two calls about sessions that a site makes, with the real tokens and keys: `POST /api/v1/sessions`
 * and `POST /api/v1/sessions/:id/complete`. A server with queues can take its place: a test needs only `url`, `issuer`,
 * `serviceKey` and a token of someone who has been admitted.
 */
export class SessionsStandIn {
  readonly issuer = issuer;
  readonly queue = "shop";
  readonly serviceKey = "service_of_the_stand_in";
  readonly stage = new Stage();
  /** The received calls, in order: `POST /api/v1/sessions`. */
  readonly asked: string[] = [];
  /** Ids of sessions that were ended. */
  readonly completed: string[] = [];
  /** While true, every call about sessions is answered with 503. */
  failing = false;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<SessionsStandIn> {
    const standIn = new SessionsStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The token of a newly admitted person. */
  admit(ticket: number, changes: Parameters<typeof admissionOf>[0] = {}): string {
    const times = { issuedAt: Date.now(), expiresAt: Date.now() + 60_000 };
    return this.stage.proofs.sign(
      admissionOf({ ticket: ticket as Admission["ticket"], ...times, ...changes }),
    );
  }

  count(asked: string): number {
    return this.asked.filter((one) => one === asked).length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = `${request.method} ${request.url}`;
    this.asked.push(asked);
    if (asked === "GET /.well-known/jwks.json")
      return send(response, 200, { keys: this.stage.proofs.publicKeys() });
    if (this.failing) return refuse(response, "log.unavailable", "Not now.");
    if (request.headers.authorization !== `Bearer ${this.serviceKey}`)
      return refuse(response, "auth.invalid", "Who is it?");
    if (asked === "POST /api/v1/sessions") return this.#claim(response, await bodyOf(request));
    const id = /^POST \/api\/v1\/sessions\/([\w-]+)\/complete$/.exec(asked)?.[1];
    if (id === undefined) return refuse(response, "route.not-found", "There is nothing there.");
    this.completed.push(id);
    send(response, 200, envelope({ session: { id, queue: this.queue, status: "COMPLETED" } }));
  }

  #claim(response: ServerResponse, { token, queue }: { token: string; queue: string }): void {
    const checked = this.stage.proofs.checkFor(token, { use: "admission", queue }, Date.now());
    if ("refusal" in checked) {
      refuse(response, checked.refusal.code, checked.refusal.message);
      return;
    }
    const { person, ticket } = checked.value;
    const id = sessionIdOf(ticket);
    const endsAt = Date.now() + 600_000;
    const times = { issuedAt: Date.now(), expiresAt: endsAt };
    const session = this.stage.proofs.sign(sessionOf({ queue, person, ticket, ...times }, id));
    const about = { id, queue, status: "ACTIVE", token: session, endsAt: new Date(endsAt).toISOString() };
    send(response, 201, envelope({ session: about }));
  }
}

export const sessionIdOf = (ticket: number) => `shop-${ticket}-unguessable`;

async function bodyOf(request: IncomingMessage): Promise<{ token: string; queue: string }> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return JSON.parse(text);
}

function envelope(data: object): object {
  return { success: true, message: "Done.", data };
}

function refuse(response: ServerResponse, code: keyof typeof refusals, message: string): void {
  const { status } = refusals[code];
  send(response, status, { success: false, message, statusCode: status, code });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
