import { type MoveProblem, movePage } from "@openseat/web";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { WaitPlaces } from "../../app/queues/wait-places.ts";
import type { TokenBuckets } from "../../token-buckets.ts";
import { iso } from "../../views/times.ts";
import { isServerError } from "../http/envelope.ts";
import { hereOf } from "../http/headers/here.ts";
import { pageOptions, type WaitPages } from "./page-routes.ts";
import { fail, type PageRequest, pageBasics, sendPage, type WithQueue } from "./pages.ts";
import type { Visit, Visits } from "./visits.ts";

export interface MoveParts {
  readonly visits: Visits;
  readonly places: WaitPlaces;
  readonly pages: WaitPages;
  readonly tries: TokenBuckets;
  readonly publicUrl: string | undefined;
}

/**
 * The code is a secret, and beside it stands the address to return to, which a link may choose. Compressed, the page's
 * length would tell how alike the two are.
 */
const moveOptions = {
  ...pageOptions,
  config: { ...pageOptions.config, isCompressed: false },
} as const;

/** LM3: a code that works writes an entry, and gives its try back. Without a cost, a place could be moved without end. */
const redeemOptions = { ...moveOptions, config: { ...moveOptions.config, cost: 1 } } as const;

/** LS5: where a place is taken to another device, or brought from one. */
export function moveRoutes(
  scope: FastifyInstance,
  { visits, places, pages, tries, publicUrl }: MoveParts,
): void {
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

  scope.get<WithQueue>("/wait/:queue/move", moveOptions, async (request, reply) => {
    const opened = await visits.open(request);
    return "refusal" in opened ? fail(request, reply, opened.refusal) : show(request, reply, opened.value);
  });

  scope.post<WithQueue>("/wait/:queue/move", redeemOptions, async (request, reply) => {
    const opened = await visits.open(request);
    if ("refusal" in opened) return fail(request, reply, opened.refusal);
    const visit = opened.value;
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
    // Only wrong codes count: of a thousand people behind one address, any number may move their places.
    tries.refund(request.address);
    visits.become(request, reply, place.person, id);
    return pages.land(request, reply, visit, redeemed.value);
  });
}
