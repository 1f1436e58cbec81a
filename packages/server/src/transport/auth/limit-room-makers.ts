import type { FastifyInstance } from "fastify";
import type { RoomMakers } from "../../config/room-makers.ts";

/** AU10: limits who may use the routes that create rooms. Call it before `followPipeline`. */
export function limitRoomMakers(app: FastifyInstance, makers: RoomMakers): void {
  const byRoute = new Map(Object.entries(makers).map(([kind, roles]) => [`/api/v1/${kind}`, roles]));
  app.addHook("onRoute", (route) => {
    const roles = route.method === "POST" ? byRoute.get(route.url) : undefined;
    // A copy, because routes share configuration objects.
    if (roles) route.config = { ...route.config, access: roles };
  });
}
