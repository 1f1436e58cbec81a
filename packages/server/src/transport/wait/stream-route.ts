import { placeNotFound } from "@openseat/kernel";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ShownPlace } from "../../app/queues/wait-places.ts";
import type { WaitingRooms } from "../../app/queues/waiting-rooms.ts";
import { sendRefusal } from "../http/envelope.ts";
import type { ConcurrencyLimit } from "../limits/concurrency.ts";
import { openEventStream } from "../live/event-stream.ts";
import { limitLive } from "../live/live-routes.ts";
import type { PageRequest, WithQueue } from "./pages.ts";
import type { Visits } from "./visits.ts";

/** FD3: exact positions come this often; it also keeps proxies from taking the stream for dead. */
const stateEveryMs = 15_000;

export interface StreamParts {
  readonly visits: Visits;
  readonly waiting: Pick<WaitingRooms, "follow">;
  readonly live: ConcurrencyLimit;
  readonly everyMs?: number | undefined;
}

/** The place and the pulse of its line, as they change. While it is open, the place does not lapse (LS1). */
export function streamRoute(
  app: FastifyInstance,
  { visits, waiting, live, everyMs = stateEveryMs }: StreamParts,
): void {
  const open = new Set<PlaceStream>();
  app.addHook("preClose", async () => {
    for (const stream of open) stream.end();
  });

  app.get<WithQueue>(
    "/wait/:queue/events",
    {
      config: { access: "public", isBegun: true },
      schema: { hide: true },
      preHandler: limitLive(live),
      // The answer to HEAD has no end that the client would see: the next request on its connection would wait for ever.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const looked = await visits.look(request);
      if ("refusal" in looked) return sendRefusal(reply, looked.refusal);
      const { shown } = looked.value.sight;
      if (!shown) return sendRefusal(reply, placeNotFound);
      // Gone while the place was being looked up: the close that would clear up has been already.
      if (reply.raw.destroyed || request.raw.socket.destroyed) return reply.hijack();
      const stream = new PlaceStream(reply, everyMs, () => stateOf(visits, request, shown));
      open.add(stream);
      const following = waiting.follow(shown.id, stream);
      reply.raw.once("close", () => {
        open.delete(stream);
        following?.close();
      });
      // Only now: what happened before the place was followed is in this state.
      stream.touched();
      return reply;
    },
  );
}

/** Of this very place: another that was entered since, in another tab, has a stream of its own. */
async function stateOf(visits: Visits, request: PageRequest, { id }: ShownPlace) {
  const looked = await visits.look(request);
  if ("refusal" in looked) return undefined;
  const { shown } = looked.value.sight;
  return shown?.id === id ? shown.wait : undefined;
}

type WaitState = ShownPlace["wait"];

/** One open event stream. */
class PlaceStream {
  readonly #raw: FastifyReply["raw"];
  readonly #read: () => Promise<WaitState | undefined>;
  #isReading = false;
  #isStale = false;
  #wasBehind = false;

  constructor(reply: FastifyReply, everyMs: number, read: () => Promise<WaitState | undefined>) {
    const raw = openEventStream(reply, 2000);
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

  /** Sends the place as it is now. What touches it while it is read is in the next reading. */
  touched(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#readOn();
  }

  end(): void {
    this.#raw.end();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    while (this.#isStale && this.#raw.writable) {
      this.#isStale = false;
      // A log that cannot be read now is read again with the next sign of life.
      const state = await this.#read().catch(() => undefined);
      if (state) this.#send(state);
    }
    this.#isReading = false;
  }

  #send(state: WaitState): void {
    this.#write("state", JSON.stringify(state));
    // Nothing more will come: the page goes on, or is told that the place is over.
    if (state.status === "active" || state.status === "gone") this.end();
  }

  #write(event: string, json: string): void {
    if (this.#raw.writable) this.#raw.write(`event: ${event}\ndata: ${json}\n\n`);
  }

  /** FD2: whoever has taken nothing since the last time is let go; `end` would wait for a reader that does not read. */
  #keepAlive(): void {
    const isBehind = this.#raw.writableLength > 0;
    if (isBehind && this.#wasBehind) this.#raw.destroy();
    else if (!isBehind) this.touched();
    this.#wasBehind = isBehind;
  }
}
