import { createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "../support/http.ts";

/** The server's path for deliveries, whatever the prefix of the public address. */
const webhookPath = "/api/v1/chat/sms";

export interface Sent {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

/** A fault for the next request to the API. */
export type Fault =
  /** The message is accepted, and the connection closed before the response. */
  | "answer lost"
  /** The message is accepted, and the response is cut off in the middle. */
  | "answer torn"
  /** Nothing is accepted, and there is no response. */
  | "silence"
  /** Nothing is accepted, with this response. */
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    };

export interface Delivered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as received. */
  readonly raw: string;
  /** The text for the phone; undefined if there is none. */
  readonly text: string | undefined;
}

/** Stands in for Twilio: accepts messages over its API, and delivers those of phones to a webhook. */
export class TwilioStandIn {
  readonly accountSid = `AC${"5".repeat(32)}`;
  readonly authToken = "token-of-the-stand-in";
  /** The server's number. */
  readonly number = "+15005550006";
  /** The accepted messages, in order. */
  readonly sent: Sent[] = [];
  /** The faults of the next requests, one each. */
  readonly faults: Fault[] = [];
  /** Numbers whose owners wrote STOP. */
  readonly stopped = new Set<string>();
  /** Numbers that do not exist. */
  readonly invalid = new Set<string>();
  /** Requests to the API, whatever their result. */
  requests = 0;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #hook: { readonly url: string; readonly client: Client } | undefined;

  static async start(): Promise<TwilioStandIn> {
    const standIn = new TwilioStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    return standIn;
  }

  /** For `apiRoot`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on, messages are delivered to the server there, under the public address that Twilio was given. */
  hookTo(server: string, webhookUrl: string): void {
    this.#hook?.client.close();
    this.#hook = { url: webhookUrl, client: new Client(server) };
  }

  /** A message from a phone to our number. The same `sid` again is a redelivery. */
  deliver(
    from: string,
    body: string,
    { sid = newSid() }: { readonly sid?: string } = {},
  ): Promise<Delivered> {
    return this.post(this.formOf(from, body, sid));
  }

  /** The fields that Twilio sends with a message. */
  formOf(from: string, body: string, sid = newSid()): Record<string, string> {
    return {
      ToCountry: "US",
      ToState: "",
      SmsMessageSid: sid,
      NumMedia: "0",
      ToCity: "",
      FromZip: "",
      SmsSid: sid,
      FromState: "",
      SmsStatus: "received",
      FromCity: "",
      Body: body,
      FromCountry: "US",
      To: this.number,
      ToZip: "",
      NumSegments: "1",
      MessageSid: sid,
      AccountSid: this.accountSid,
      From: from,
      ApiVersion: "2010-04-01",
    };
  }

  /** Delivers a form to the webhook, with Twilio's signature by default; null for none. */
  async post(
    form: Readonly<Record<string, string>>,
    { query = "", signature }: { readonly query?: string; readonly signature?: string | null } = {},
  ): Promise<Delivered> {
    if (this.#hook === undefined) throw new Error("Nobody has said where messages are to be brought.");
    const { url, client } = this.#hook;
    const signed = signature === undefined ? signatureOf(this.authToken, url + query, form) : signature;
    const { status, headers, text } = await client.post(webhookPath + query, {
      rawBody: new URLSearchParams(form).toString(),
      headers: {
        "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
        ...(signed !== null && { "x-twilio-signature": signed }),
      },
    });
    return { status, headers, raw: text, text: status === 200 ? textIn(text) : undefined };
  }

  /** The messages to a number, in order. */
  sentTo(number: string): string[] {
    return this.sent.filter(({ to }) => to === number).map(({ body }) => body);
  }

  async stop(): Promise<void> {
    this.#hook?.client.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    this.requests++;
    const fault = this.faults.shift();
    if (fault === "silence") return;
    if (typeof fault === "object") {
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    const { status, answer } = this.#take(request, new URLSearchParams(body));
    if (fault === "answer lost") {
      request.socket.destroy();
      return;
    }
    const text = JSON.stringify(answer);
    response.writeHead(status, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
    });
    if (fault === "answer torn") response.write(text.slice(0, 5), () => request.socket.destroy());
    else response.end(text);
  }

  #take(request: IncomingMessage, form: URLSearchParams): { status: number; answer: object } {
    const { method, url, headers } = request;
    const [from, to, body] = ["From", "To", "Body"].map((name) => form.get(name) ?? "");
    const proof = Buffer.from(`${this.accountSid}:${this.authToken}`).toString("base64");
    if (headers.authorization !== `Basic ${proof}`) return refusal(401, 20003, "Authenticate");
    if (method !== "POST" || url !== `/2010-04-01/Accounts/${this.accountSid}/Messages.json`)
      return refusal(404, 20404, `The requested resource ${url} was not found`);
    if (headers["content-type"]?.split(";")[0] !== "application/x-www-form-urlencoded")
      return refusal(400, 21602, "Message body is required.");
    if (from !== this.number)
      return refusal(400, 21606, `The From phone number ${from} is not a valid message-capable number.`);
    if (this.invalid.has(to) || !/^\+\d+$/.test(to))
      return refusal(400, 21211, `The 'To' number ${to} is not a valid phone number.`);
    if (this.stopped.has(to)) return refusal(400, 21610, "Attempt to send to unsubscribed recipient");
    if (body === "") return refusal(400, 21602, "Message body is required.");
    if (body.length > 1_600)
      return refusal(400, 21617, "The concatenated message body exceeds the 1600 character limit.");
    this.sent.push({ from, to, body });
    return { status: 201, answer: { sid: newSid(), status: "queued", from, to, body, error_code: null } };
  }
}

export function newSid(): string {
  return `SM${randomBytes(16).toString("hex")}`;
}

/** Implemented separately from the server, so that a bug there cannot cancel itself out. */
export function signatureOf(token: string, url: string, form: Readonly<Record<string, string>>): string {
  const hmac = createHmac("sha1", token).update(url);
  for (const name of Object.keys(form).sort()) hmac.update(name).update(form[name]);
  return hmac.digest("base64");
}

function refusal(status: number, code: number, message: string): { status: number; answer: object } {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status, answer: { code, message, more_info, status } };
}

const twimlPattern =
  /^<\?xml version="1\.0" encoding="UTF-8"\?><Response>(?:<Message>(.+)<\/Message>)?<\/Response>$/s;
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Reads it like an XML parser: malformed XML is an error, as for Twilio. */
export function textIn(document: string): string | undefined {
  const content = twimlPattern.exec(document);
  if (content === null) throw new Error(`This is not TwiML: ${document}`);
  const [, text] = content;
  if (text === undefined) return undefined;
  const stray =
    /<|\]\]>|&(?!(?:amp|lt|gt|quot|apos);)|[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.exec(text);
  if (stray !== null) throw new Error(`XML has no place for ${JSON.stringify(stray[0])}: ${document}`);
  return text.replace(/\r\n?/g, "\n").replace(/&(\w+);/g, (_, name) => entities[name]);
}
