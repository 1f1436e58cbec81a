import { understand } from "@openseat/kernel";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sendRefusal } from "../http/envelope.ts";
import { traitsOf } from "./gatekeeper.ts";
import type { WriteBudgets } from "./write-budgets.ts";

/** The cost of creating a room: at 600 writes per minute, a person can create 30 rooms per minute. */
export const roomCost = 20;

/** The cost of voiding a match, which may rewrite the ratings of hundreds of later matches. */
export const voidCost = 10;

/** LM3: a message costs one write, or as much as the same operation over HTTP. */
export function costOfMessage(text: string): number {
  return maySay("undo", text) && understand(text).type === "undo" ? voidCost : 1;
}

/** Whether the letters of the word occur in order. Parsing every message twice would cost a tenth of handling it. */
function maySay(word: string, text: string): boolean {
  const lower = text.toLowerCase();
  let from = 0;
  for (const letter of word) {
    from = lower.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}

/** A hook for requests whose body determines their cost. `moreIn` is added to the cost of the route. */
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
