import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../../clock.ts";
import { TimeSlices } from "../../scheduling/time-slices.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** LM10: large pages are made one per tick of the event loop, in rotation among addresses. */
    largePages: TimeSlices | null;
  }
}

/** A page of more items costs several times as much as most requests. */
const itemsAtOnceMax = 100;

export function paceLargePages(app: FastifyInstance, clock: Pick<Clock, "soon">): void {
  app.decorate("largePages", new TimeSlices(clock));
}

/** Makes and sends the response: at once, or in a time slice if it is a large page. */
export function inTimeSlice({ server, query, address }: FastifyRequest, respond: () => Promise<void>): void {
  const { limit = 0 } = (query ?? {}) as { limit?: number };
  if (server.largePages && limit > itemsAtOnceMax) void server.largePages.run(respond, address);
  else void respond();
}
