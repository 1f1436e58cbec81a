import { Id, Me } from "@openseat/protocol";
import type { FastifyInstance, FastifyReply } from "fastify";
import Type from "typebox";
import { personOf } from "../../app/identity.ts";
import type { Subscriber } from "../../feed/watch.ts";
import type { Entrances } from "../auth/entrances.ts";
import { about } from "../http/docs/operations.ts";
import { sendRefusal } from "../http/envelope.ts";
import type { ConcurrencyLimit } from "../limits/concurrency.ts";
import { eventStreams } from "./event-stream.ts";
import { limitLive } from "./live-routes.ts";
import { lensOf, type Watchable } from "./room-watches.ts";
import { roomSeenBy, watchAccess, watchedKinds, watchRoom } from "./watch-room.ts";

/** Proxies close idle connections. */
const keepAliveMs = 15_000;

const Version = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The last version seen.",
});

const watching = {
  game: "watchGame",
  arena: "watchArena",
  ladder: "watchLadder",
  queue: "watchQueue",
  conversation: "watchConversation",
} as const;

/** FD4: the feed as server-sent events, which browsers resume with `Last-Event-ID`. */
export function eventStreamRoutes(
  app: FastifyInstance,
  watchable: Watchable,
  entrances: Entrances,
  atOnce: ConcurrencyLimit,
): void {
  const open = eventStreams(app);
  for (const kind of watchedKinds) {
    app.get<{
      Params: { id: string };
      Querystring: { after?: number };
      Headers: { "last-event-id"?: number };
    }>(
      `/api/v1/${kind}s/:id/events`,
      {
        config: { access: watchAccess[kind] },
        schema: {
          ...about(watching[kind]),
          produces: ["text/event-stream"],
          params: Type.Object({ id: kind === "conversation" ? Me : Id }),
          querystring: Type.Object({ after: Type.Optional(Version) }, { additionalProperties: false }),
          headers: Type.Object({ "last-event-id": Type.Optional(Version) }),
        },
        preHandler: limitLive(atOnce),
        // A stream has no end: after HEAD, the next request on the connection would wait forever.
        exposeHeadRoute: false,
      },
      async (request, reply) => {
        const { identity } = request;
        const viewer = identity?.role === "person" ? personOf(identity) : undefined;
        const room = roomSeenBy({ kind, id: request.params.id }, viewer);
        if ("refusal" in room) return sendRefusal(reply, room.refusal);
        const lens = await lensOf(watchable, room);
        if ("refusal" in lens) return sendRefusal(reply, lens.refusal);
        // The client has disconnected and "close" has already fired, so nothing would release the watch.
        if (reply.raw.destroyed || request.raw.socket.destroyed) return reply.hijack();
        const after = request.headers["last-event-id"] ?? request.query.after;
        const raw = open(reply, 1000);
        const watch = watchRoom(watchable, room, lens, subscriberOf(raw, request.address), { after, viewer });
        const prover = entrances.proverFor(request.raw.socket);
        const keepAlive = setInterval(async () => {
          if (!raw.writableEnded) raw.write(": still here\n\n");
          // AU5: a stream ends when its token expires. The reader reconnects and gets the reason.
          if (identity && "refusal" in (await prover.renew(identity))) raw.end();
        }, keepAliveMs);
        raw.on("close", () => {
          clearInterval(keepAlive);
          watch.close();
        });
        return reply;
      },
    );
  }
}

function subscriberOf(raw: FastifyReply["raw"], address: string): Subscriber {
  return {
    address,
    send: ({ type, version, json }) => void raw.write(`id: ${version}\nevent: ${type}\ndata: ${json}\n\n`),
    get backlogBytes() {
      return raw.writableLength;
    },
    // `end` would wait for the reader, and a later write would be an error.
    drop: () => void raw.destroy(),
  };
}
