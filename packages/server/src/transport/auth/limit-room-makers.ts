import type { FastifyInstance } from "fastify";
import type { RoomMakers } from "../../config/room-makers.ts";

/** AU10: who may use the routes that create rooms. To be called before the routes are guarded. */
export function limitRoomMakers(app: FastifyInstance, makers: RoomMakers): void {
  const byRoute = new Map(Object.entries(makers).map(([kind, roles]) => [`/api/v1/${kind}`, roles]));
  app.addHook("onRoute", ({ method, url, config }) => {
    const roles = method === "POST" ? byRoute.get(url) : undefined;
    if (roles) config!.access = roles;
  });
}
