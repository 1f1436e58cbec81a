import { Id } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Hub } from "../../feed/hub.ts";
import type { AtOnce } from "../address-limits.ts";
import { sendRefusal } from "../envelope.ts";
import type { Games } from "../games/games.ts";
import { openEventStream } from "./event-stream.ts";
import { limitLive } from "./live-routes.ts";

/** Proxies close what is silent for long. */
const keepAliveMs = 15_000;

const Version = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The last version seen.",
});

/** FD4: the same feed as server-sent events; browsers resume it by themselves with `Last-Event-ID`. */
export function eventStreamRoutes(app: FastifyInstance, games: Games, hub: Hub, atOnce: AtOnce): void {
  const open = new Set<() => void>();
  app.addHook("preClose", async () => {
    for (const end of open) end();
  });

  app.get<{ Params: { id: string }; Querystring: { after?: number }; Headers: { "last-event-id"?: number } }>(
    "/api/v1/games/:id/events",
    {
      config: { access: "public" },
      schema: {
        summary: "Watch a game (server-sent events)",
        tags: ["live"],
        params: Type.Object({ id: Id }),
        querystring: Type.Object({ after: Type.Optional(Version) }, { additionalProperties: false }),
        headers: Type.Object({ "last-event-id": Type.Optional(Version) }),
      },
      preHandler: limitLive(atOnce),
      // The answer to HEAD has no end that the client would see: the next request on its connection would wait for ever.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { id } = request.params;
      const lens = await games.lens(id);
      if ("refusal" in lens) return sendRefusal(reply, lens.refusal);
      // Gone while the game was being looked up: the close that would clear up has been already.
      if (reply.raw.destroyed || request.raw.socket.destroyed) return reply.hijack();
      const after = request.headers["last-event-id"] ?? request.query.after;
      const raw = openEventStream(reply, 1000);
      const end = () => raw.end();
      const watch = hub.watch(
        `game/${id}`,
        lens,
        {
          send: ({ type, version, json }) => raw.write(`id: ${version}\nevent: ${type}\ndata: ${json}\n\n`),
          get backlogBytes() {
            return raw.writableLength;
          },
          // Not `end`: that waits for a reader to take what it does not take, and writing after it is an error.
          drop: () => raw.destroy(),
        },
        after,
      );
      const keepAlive = setInterval(() => raw.writableEnded || raw.write(": still here\n\n"), keepAliveMs);
      open.add(end);
      raw.on("close", () => {
        clearInterval(keepAlive);
        open.delete(end);
        watch.close();
      });
      return reply;
    },
  );
}
