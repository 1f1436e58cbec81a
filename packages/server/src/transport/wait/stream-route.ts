import { placeNotFound } from "@openseat/kernel";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ShownPlace } from "../../app/queues/wait-places.ts";
import { sendRefusal } from "../http/envelope.ts";
import { eventStreams } from "../live/event-stream.ts";
import { limitLive } from "../live/live-routes.ts";
import type { PageRequest, WaitDeps, WithQueue } from "./pages.ts";
import type { Visits } from "./visits.ts";

/** FD3: how often exact positions are sent. It also keeps proxies from closing the stream. */
const stateEveryMs = 15_000;

/** Streams the place and the pulse of its line as they change. While it is open, the place does not expire (LS1). */
export function streamRoute(
  app: FastifyInstance,
  visits: Visits,
  { waiting, live, stateEveryMs: everyMs = stateEveryMs }: WaitDeps,
): void {
  const open = eventStreams(app);
  app.get<WithQueue>(
    "/wait/:queue/events",
    {
      config: { access: "public", isBegun: true },
      schema: { hide: true },
      preHandler: limitLive(live),
      // A stream has no end: after HEAD, the next request on the connection would wait forever.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const found = await visits.find(request);
      if ("refusal" in found) return sendRefusal(reply, found.refusal);
      const { shown } = found.value.sight;
      if (!shown) return sendRefusal(reply, placeNotFound);
      // The client has disconnected and "close" has already fired, so nothing would release the place.
      if (reply.raw.destroyed || request.raw.socket.destroyed) return reply.hijack();
      const stream = new PlaceStream(open(reply, 2000), everyMs, () => stateOf(visits, request, shown));
      const following = waiting.follow(shown.id, stream);
      reply.raw.once("close", () => following?.close());
      // Sent only now, so that this state includes what happened before the place was followed.
      stream.touched();
      return reply;
    },
  );
}

/** Of exactly this place: a place entered since, in another tab, has its own stream. */
async function stateOf(visits: Visits, request: PageRequest, { id }: ShownPlace) {
  const found = await visits.find(request);
  if ("refusal" in found) return undefined;
  const { shown } = found.value.sight;
  return shown?.id === id ? shown.wait : undefined;
}

type WaitState = ShownPlace["wait"];

class PlaceStream {
  readonly #raw: FastifyReply["raw"];
  readonly #read: () => Promise<WaitState | undefined>;
  #isReading = false;
  #isStale = false;
  #wasBehind = false;

  constructor(raw: FastifyReply["raw"], everyMs: number, read: () => Promise<WaitState | undefined>) {
    this.#raw = raw;
    this.#read = read;
    raw.on("drain", () => {
      this.#wasBehind = false;
    });
    const regularly = setInterval(() => this.#keepAlive(), everyMs);
    raw.once("close", () => clearInterval(regularly));
  }

  get backlogBytes(): number {
    return this.#raw.writableLength;
  }

  pulse(json: string): void {
    this.#write("pulse", json);
  }

  /** Sends the current place. Changes during the read are in the next one. */
  touched(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    while (this.#isStale && this.#raw.writable) {
      this.#isStale = false;
      // If the log cannot be read now, it is read again with the next event.
      const state = await this.#read().catch(() => undefined);
      if (state) this.#send(state);
    }
    this.#isReading = false;
  }

  #send(state: WaitState): void {
    this.#write("state", JSON.stringify(state));
    // Nothing more will come: the page goes on to the site, or learns that the place is over.
    if (state.status === "active" || state.status === "gone") this.#raw.end();
  }

  #write(event: string, json: string): void {
    if (this.#raw.writable) this.#raw.write(`event: ${event}\ndata: ${json}\n\n`);
  }

  /** FD2: a reader that has read nothing since the last time is disconnected; `end` would wait for it. */
  #keepAlive(): void {
    const isBehind = this.#raw.writableLength > 0;
    if (isBehind && this.#wasBehind) this.#raw.destroy();
    else if (!isBehind) this.touched();
    this.#wasBehind = isBehind;
  }
}
