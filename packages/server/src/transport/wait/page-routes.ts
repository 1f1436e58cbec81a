import type { Refusal } from "@openseat/kernel";
import { addressesOf, waitPage } from "@openseat/web";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isOver, type ShownPlace, type WaitPlaces } from "../../app/queues/wait-places.ts";
import { noPlace } from "../../app/queues/wait-state.ts";
import { isServerError } from "../http/envelope.ts";
import { sessionCookieOf } from "../site/session-cookie.ts";
import { withToken } from "../site/token-in-address.ts";
import { isUnseen } from "./csrf.ts";
import {
  fail,
  goOn,
  type PageRequest,
  pageBasics,
  sendPage,
  type WaitDeps,
  type WithQueue,
} from "./pages.ts";
import type { PageHandler, Visit, Visits } from "./visits.ts";

/** For every page. There is no HEAD, because it would enter the line. */
export const pageOptions = {
  config: { access: "public", cost: 0, refuse: refuseInPage },
  schema: { hide: true },
  exposeHeadRoute: false,
} as const;

const begunOptions = { ...pageOptions, config: { ...pageOptions.config, isBegun: true } } as const;

function refuseInPage(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  fail(request as PageRequest, reply, refusal);
}

export class WaitPages {
  readonly #visits: Visits;
  readonly #places: WaitPlaces;
  readonly #now: () => number;

  constructor(visits: Visits, { waiting, now }: Pick<WaitDeps, "waiting" | "now">) {
    this.#now = now;
    this.#visits = visits;
    this.#places = waiting.places;
  }

  register(scope: FastifyInstance): void {
    const of = (show: PageHandler) => this.#visits.page(show.bind(this));
    scope.get<WithQueue>("/wait/:queue", pageOptions, of(this.#page));
    scope.get<WithQueue>("/wait/:queue/go", begunOptions, of(this.#go));
    scope.post<WithQueue>("/wait/:queue/enter", pageOptions, of(this.#enter));
    scope.post<WithQueue>("/wait/:queue/leave", begunOptions, of(this.#leave));
  }

  async #page(request: PageRequest, reply: FastifyReply, visit: Visit): Promise<FastifyReply> {
    const { shown } = visit.sight;
    if (shown && !isForgotten(visit, shown)) return this.#show(request, reply, visit, shown);
    if (isUnseen(request)) return fail(request, reply, notUnseen, visit);
    const entered = await this.#visits.enter(request, reply, visit.guest);
    if ("refusal" in entered) return fail(request, reply, entered.refusal, visit);
    // An admitted person goes on at once: the page would have nothing to show.
    if (entered.value.wait.status === "admitted" && visit.to)
      return goOn(reply, addresses(request, visit).go);
    return this.#show(request, reply, visit, entered.value);
  }

  #show(request: PageRequest, reply: FastifyReply, visit: Visit, shown: ShownPlace): FastifyReply {
    const { queue, sight, returnTo, to } = visit;
    if (shown.wait.status === "active" && to) return goOn(reply, addresses(request, visit).go);
    this.#visits.remember(request, reply, shown.id, isOver(shown));
    const page = waitPage({
      ...pageBasics(request),
      queue,
      title: sight.title,
      state: shown.wait,
      ...(returnTo !== undefined && { returnTo }),
    });
    return sendPage(reply, page);
  }

  /** AD7: starts the session of an admitted person and redirects them to the site. */
  async #go(request: PageRequest, reply: FastifyReply, visit: Visit): Promise<FastifyReply> {
    const { queue, guest, sight, to } = visit;
    // A prefetch would start the session's clock before the person arrives.
    if (isUnseen(request)) return fail(request, reply, notUnseen, visit);
    // A browser without cookies would be redirected in circles and take a seat each time.
    if (!guest) return fail(request, reply, noCookie, visit);
    const backToPage = () => goOn(reply, addresses(request, visit).page);
    const { shown } = sight;
    const status = shown?.wait.status;
    if (!shown || (status !== "admitted" && status !== "active")) return backToPage();
    const claimed = await this.#places.claim(queue, shown.place);
    if ("refusal" in claimed)
      return isServerError(claimed.refusal) ? fail(request, reply, claimed.refusal, visit) : backToPage();
    this.#visits.remember(request, reply, shown.id);
    reply.header("set-cookie", sessionCookieOf(request, queue, claimed.value, this.#now()));
    if (!to) return backToPage();
    if (!to.isElsewhere) return goOn(reply, to.address);
    const token = this.#places.tokenFor(queue, shown.place, sight.claimTimeoutMs);
    return goOn(reply, withToken(to.address, token));
  }

  async #enter(request: PageRequest, reply: FastifyReply, visit: Visit): Promise<FastifyReply> {
    const { shown } = visit.sight;
    if (shown && !isOver(shown)) return this.land(request, reply, visit, shown);
    const entered = await this.#visits.enter(request, reply, visit.guest);
    if ("refusal" in entered) return fail(request, reply, entered.refusal, visit);
    this.#visits.remember(request, reply, entered.value.id);
    return this.land(request, reply, visit, entered.value);
  }

  async #leave(request: PageRequest, reply: FastifyReply, visit: Visit): Promise<FastifyReply> {
    const { queue, guest, sight } = visit;
    const { shown } = sight;
    if (!guest || !shown || isOver(shown)) {
      // A redirect to the page might make them enter the line again.
      const state = shown?.wait ?? noPlace();
      return sendPage(reply, waitPage({ ...pageBasics(request), queue, title: sight.title, state }));
    }
    const left = await this.#places.leave(guest, shown.id);
    if ("refusal" in left && isServerError(left.refusal)) return fail(request, reply, left.refusal, visit);
    this.#visits.remember(request, reply, shown.id);
    return goOn(reply, addresses(request, visit).page);
  }

  /** After a form: redirects to the page. */
  land(request: FastifyRequest, reply: FastifyReply, visit: Visit, { wait }: ShownPlace): FastifyReply {
    const { page, move } = addresses(request, visit);
    // The page would redirect to the site, and browsers follow a form to another origin only if the policy allows it.
    return goOn(reply, wait.status === "active" && visit.to?.isElsewhere ? move : page);
  }
}

function addresses({ basePath }: FastifyRequest, { queue, returnTo }: Visit): ReturnType<typeof addressesOf> {
  return addressesOf(queue, returnTo, basePath);
}

/** Whether this is a new visit: the last one was completed, or its end has been shown. */
function isForgotten({ hasSeenEnd }: Visit, shown: ShownPlace): boolean {
  return isOver(shown) && (hasSeenEnd || shown.place.state === "completed");
}

const notUnseen: Refusal = {
  code: "server.busy",
  message: "Open this page in a browser tab to get a place in the line.",
  retryable: true,
};

const noCookie: Refusal = {
  code: "place.not-found",
  message: "This browser has no place in the line. Allow cookies for this site, then try again.",
};
