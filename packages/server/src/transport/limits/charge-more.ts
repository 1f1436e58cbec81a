import type { FastifyReply, FastifyRequest } from "fastify";
import { sendRefusal } from "../envelope.ts";
import { traitsOf } from "./gatekeeper.ts";
import type { WriteBudgets } from "./write-budgets.ts";

/** What a room costs: at 600 writes per minute, a person makes 30 rooms per minute. */
export const roomCost = 20;

/** A hook for requests whose whole cost shows only in the body. `moreIn` is what comes on top of the cost of the route. */
export function chargeMore<Body>(budgets: WriteBudgets, moreIn: (body: Body) => number) {
  return async function charge(
    { body, identity, address, method, routeOptions }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const refusal = budgets.charge(moreIn(body as Body), identity, address);
    if (!refusal) return undefined;
    budgets.refund(traitsOf(method, routeOptions.config).cost, identity, address);
    return sendRefusal(reply, refusal);
  };
}
