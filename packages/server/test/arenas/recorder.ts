import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Json, within } from "../support/http.ts";

/** A raw connection that records every byte it receives, over WebSocket or an event stream. */
export class Recorder {
  readonly name: string;
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #onNews = () => {};

  private constructor(name: string, socket: Socket) {
    this.name = name;
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#onNews();
    });
    socket.on("error", () => {});
  }

  static async #open(name: string, url: string, request: readonly string[]): Promise<Recorder> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await within("a connection", once(socket, "connect"));
    const recorder = new Recorder(name, socket);
    socket.write([...request, "Host: test", "", ""].join("\r\n"));
    await recorder.until("the head", (text) => text.includes("\r\n\r\n"));
    return recorder;
  }

  /** On the WebSocket, watching. */
  static async live(
    name: string,
    url: string,
    arena: string,
    { token, after }: { token?: string | undefined; after?: number } = {},
  ): Promise<Recorder> {
    const recorder = await Recorder.#open(name, url, [
      "GET /api/v1/live HTTP/1.1",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ]);
    recorder.say({ id: 1, type: "watch", arena, ...(after !== undefined && { after }) });
    return recorder;
  }

  /** On server-sent events. */
  static events(
    name: string,
    url: string,
    arena: string,
    { token, after }: { token?: string | undefined; after?: number } = {},
  ): Promise<Recorder> {
    return Recorder.#open(name, url, [
      `GET /api/v1/arenas/${arena}/events HTTP/1.1`,
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...(after === undefined ? [] : [`Last-Event-ID: ${after}`]),
    ]);
  }

  /** One message on the WebSocket. */
  say(message: Json): void {
    const payload = Buffer.from(JSON.stringify(message));
    // A client has to mask what it sends; with a mask of zeros it stays as it is.
    const head =
      payload.length < 126
        ? [0x81, 0x80 | payload.length]
        : [0x81, 0xfe, payload.length >> 8, payload.length & 255];
    this.#socket.write(Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload]));
  }

  /** All received bytes. */
  get bytes(): string {
    return this.#received.toString("latin1");
  }

  /** Waits until this version has been shown completely: by a change with the state after it, or by a view that contains it. */
  shown(version: number): Promise<void> {
    const start = `{"type":"change","version":${version},`;
    const view = new RegExp(`"version":${version}\\}`);
    return this.until(`version ${version} for ${this.name}`, (text) => {
      const at = text.indexOf(start);
      return view.test(text) || (at >= 0 && "state" in (objectAt(text, at) ?? {}));
    });
  }

  async until(what: string, isThere: (text: string) => boolean): Promise<void> {
    while (!isThere(this.bytes))
      await within(
        `${what}; there was ${this.bytes.slice(-300)}`,
        new Promise<void>((resolve) => {
          this.#onNews = resolve;
        }),
      );
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The JSON object that begins here, if all of it is there. */
function objectAt(text: string, at: number): Json | undefined {
  for (let end = text.indexOf("}", at); end >= 0; end = text.indexOf("}", end + 1)) {
    try {
      return JSON.parse(text.slice(at, end + 1));
    } catch {
      // Not at its last brace yet.
    }
  }
  return undefined;
}

const words = /rock|paper|scissors/i;
/** The table before anyone throws: always the same for everyone. */
const table =
  /"choices":\[\{"move":"rock","name":"Rock","symbol":"[^"]*"\},\{"move":"paper","name":"Paper","symbol":"[^"]*"\},\{"move":"scissors","name":"Scissors","symbol":"[^"]*"\}\]/g;
const legal = /"moves":\["rock","paper","scissors"\]/g;
/** The head of a frame, before its object: a byte of its length may look like a quote. */
const frameHead = /\x81(?:~..|.)(?=\{)/gs;

/** The received strings that name a throw, apart from the game's table, and anything outside of a string that names one. */
export function throwsNamedIn(received: string): Set<string> {
  const rest = received.replaceAll(frameHead, "").replaceAll(table, "").replaceAll(legal, "");
  const texts = rest.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  const named = new Set(texts.filter((text) => words.test(text)));
  const outside = rest.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
  if (words.test(outside)) named.add(`outside: ${outside}`);
  return named;
}

/**
 * Removes what differs between two servers: times, pings, and an incomplete last line. An ETag is made from the body, which is
 * compared, and contains times.
 */
export function withoutTimes(received: string): string {
  return (
    received
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
      .replaceAll(/^(?:Date|ETag|X-Request-Id): .*\r\n/gim, "")
      .replaceAll("\x89\x00", "")
      // How much of a stream is sent at once depends on the load.
      .replaceAll(/\r\n[0-9a-f]+\r\n/gi, "")
      .trimEnd()
  );
}
