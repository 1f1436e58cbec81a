import { type MoveProblem, movePage } from "@openseat/web";
import type { FastifyInstance, FastifyReply } from "fastify";
import { TokenBuckets } from "../../token-buckets.ts";
import { iso } from "../../views/times.ts";
import { isServerError } from "../http/envelope.ts";
import { hereOf } from "../http/headers/here.ts";
import { pageOptions, type WaitPages } from "./page-routes.ts";
import { fail, type PageRequest, pageBasics, sendPage, type WaitDeps, type WithQueue } from "./pages.ts";
import type { Visit, Visits } from "./visits.ts";

/** Codes that an address may try per minute. */
const codesPerAddressMax = 10;

/**
 * The page holds a secret code and the return address, which a link may choose. With compression, the page's length would reveal
 * how similar the two are (BREACH).
 */
const moveOptions = {
  ...pageOptions,
  config: { ...pageOptions.config, isCompressed: false },
} as const;

/** LM3: a code that works does not count as a try. Without a cost, a place could be moved endlessly. */
const redeemOptions = { ...moveOptions, config: { ...moveOptions.config, cost: 1 } } as const;

/** LS5: moves a place to another device, or from one. */
export function moveRoutes(
  scope: FastifyInstance,
  visits: Visits,
  pages: WaitPages,
  { waiting, publicUrl, now }: WaitDeps,
): void {
  const { places } = waiting;
  const tries = new TokenBuckets({ perMinute: codesPerAddressMax }, now);
  const show = (request: PageRequest, reply: FastifyReply, visit: Visit, problem?: MoveProblem) => {
    const { queue, sight, returnTo } = visit;
    const { shown, title } = sight;
    const code = shown && places.moveCode(queue, shown);
    const page = movePage({
      ...pageBasics(request),
      queue,
      title,
      address: `${hereOf(request, publicUrl)}${request.basePath}/wait/${queue}/move`,
      ...(shown &&
        code && { place: { state: shown.wait, code: code.code, codeExpiresAt: iso(code.expiresAt) } }),
      ...(problem && { problem }),
      ...(returnTo !== undefined && { returnTo }),
    });
    return sendPage(reply, page, problem === undefined ? 200 : problem === "too-many-tries" ? 429 : 400);
  };

  const redeem = async (request: PageRequest, reply: FastifyReply, visit: Visit) => {
    const waitSeconds = tries.take(request.address);
    if (waitSeconds > 0) {
      reply.header("retry-after", String(waitSeconds));
      return show(request, reply, visit, "too-many-tries");
    }
    const { queue } = visit;
    const typed = new URLSearchParams(request.body as string).get("code") ?? "";
    const redeemed = await places.redeem(queue, typed);
    if ("refusal" in redeemed) {
      const { refusal } = redeemed;
      return isServerError(refusal)
        ? fail(request, reply, refusal, visit)
        : show(request, reply, visit, refusal.code === "code.used" ? "used-code" : "unknown-code");
    }
    const { id, place } = redeemed.value;
    // Only wrong codes count: many people behind the same address may move their places.
    tries.refund(request.address);
    visits.become(request, reply, place.person, id);
    return pages.land(request, reply, visit, redeemed.value);
  };

  scope.get<WithQueue>("/wait/:queue/move", moveOptions, visits.page(show));
  scope.post<WithQueue>("/wait/:queue/move", redeemOptions, visits.page(redeem));
}
