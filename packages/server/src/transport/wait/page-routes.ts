import type { Refusal } from "@openseat/kernel";
import { addressesOf, waitPage } from "@openseat/web";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isOver, type ShownPlace, type WaitPlaces } from "../../app/queues/wait-places.ts";
import { noPlace } from "../../app/queues/wait-state.ts";
import { sessionCookieOf } from "../gate/session-cookie.ts";
import { withToken } from "../gate/token-in-address.ts";
import { failure } from "../http/envelope.ts";
import { fail, goOn, type PageRequest, pageBasics, sendPage, type WithQueue } from "./pages.ts";
import type { Visit, Visits } from "./visits.ts";
import { isUnseen } from "./whence.ts";

/** What every page is: open to anyone, and for people rather than programs. Asked for by HEAD it would enter the line. */
export const pageOptions = {
  config: { access: "public", cost: 0, refuse: refuseInPage },
  schema: { hide: true },
  exposeHeadRoute: false,
} as const;

const begunOptions = { ...pageOptions, config: { ...pageOptions.config, isBegun: true } } as const;

function refuseInPage(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  fail(request as PageRequest, reply, failure(refusal));
}

/** The page of a line, and the ways in and out of it. */
export class WaitPages {
  readonly #visits: Visits;
  readonly #places: WaitPlaces;
  readonly #now: () => number;

  constructor(visits: Visits, places: WaitPlaces, now: () => number) {
    this.#now = now;
    this.#visits = visits;
    this.#places = places;
  }

  register(scope: FastifyInstance): void {
    scope.get<WithQueue>("/wait/:queue", pageOptions, (request, reply) => this.#page(request, reply));
    scope.get<WithQueue>("/wait/:queue/go", begunOptions, (request, reply) => this.#go(request, reply));
    scope.post<WithQueue>("/wait/:queue/enter", pageOptions, (request, reply) => this.#enter(request, reply));
    scope.post<WithQueue>("/wait/:queue/leave", begunOptions, (request, reply) =>
      this.#leave(request, reply),
    );
  }

  async #page(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = await this.#visits.open(request);
    if ("failed" in visit) return fail(request, reply, visit.failed);
    const { shown } = visit.sight;
    if (shown && !isForgotten(visit, shown)) return this.#show(request, reply, visit, shown);
    if (isUnseen(request)) return fail(request, reply, failure(notUnseen), visit);
    const entered = await this.#visits.enter(request, reply, visit.guest);
    if ("failed" in entered) return fail(request, reply, entered.failed, visit);
    // With nobody to wait for there is nothing to read on the page.
    if (entered.shown.wait.status === "admitted" && visit.to)
      return goOn(reply, addresses(request, visit).go);
    return this.#show(request, reply, visit, entered.shown);
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

  /** AD7: whoever's turn it is gets their session, and goes on to the site. */
  async #go(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = await this.#visits.open(request);
    if ("failed" in visit) return fail(request, reply, visit.failed);
    const { queue, guest, sight, to } = visit;
    // Loaded ahead of a click, it would start the session's clock for nobody.
    if (isUnseen(request)) return fail(request, reply, failure(notUnseen), visit);
    // A browser that keeps no cookies would go round in circles, and take a seat each time.
    if (!guest) return fail(request, reply, failure(noCookie), visit);
    const { shown } = sight;
    const status = shown?.wait.status;
    if (!shown || (status !== "admitted" && status !== "active"))
      return goOn(reply, addresses(request, visit).page);
    const claimed = await this.#places.claim(queue, shown.place);
    if ("failed" in claimed)
      return claimed.failed.status < 500
        ? goOn(reply, addresses(request, visit).page)
        : fail(request, reply, claimed.failed, visit);
    this.#visits.remember(request, reply, shown.id);
    reply.header("set-cookie", sessionCookieOf(request, queue, claimed.session, this.#now()));
    if (!to) return goOn(reply, addresses(request, visit).page);
    if (!to.isElsewhere) return goOn(reply, to.address);
    const token = this.#places.tokenFor(queue, shown.place, sight.claimTimeoutMs);
    return goOn(reply, withToken(to.address, token));
  }

  async #enter(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = await this.#visits.open(request);
    if ("failed" in visit) return fail(request, reply, visit.failed);
    const { shown } = visit.sight;
    if (shown && !isOver(shown)) return this.land(request, reply, visit, shown);
    const entered = await this.#visits.enter(request, reply, visit.guest);
    if ("failed" in entered) return fail(request, reply, entered.failed, visit);
    this.#visits.remember(request, reply, entered.shown.id);
    return this.land(request, reply, visit, entered.shown);
  }

  async #leave(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = await this.#visits.open(request);
    if ("failed" in visit) return fail(request, reply, visit.failed);
    const { queue, guest, sight } = visit;
    const { shown } = sight;
    if (!guest || !shown || isOver(shown)) {
      // Not by way of the page, which might take them into the line again.
      const state = shown?.wait ?? noPlace();
      return sendPage(reply, waitPage({ ...pageBasics(request), queue, title: sight.title, state }));
    }
    const answer = await this.#places.leave(guest, shown.id);
    if (answer.status >= 500) return fail(request, reply, answer, visit);
    this.#visits.remember(request, reply, shown.id);
    return goOn(reply, addresses(request, visit).page);
  }

  /** After a form: back to the page. */
  land(request: FastifyRequest, reply: FastifyReply, visit: Visit, { wait }: ShownPlace): FastifyReply {
    const { page, move } = addresses(request, visit);
    // The page would send on whoever is in; but a browser follows a form to another origin only if the policy says so.
    return goOn(reply, wait.status === "active" && visit.to?.isElsewhere ? move : page);
  }
}

function addresses({ basePath }: FastifyRequest, { queue, returnTo }: Visit): ReturnType<typeof addressesOf> {
  return addressesOf(queue, returnTo, basePath);
}

/** A new visit rather than the end of the last: it was completed, or its end has been told. */
function isForgotten({ hasSeenEnd }: Visit, shown: ShownPlace): boolean {
  return isOver(shown) && (hasSeenEnd || shown.place.state === "completed");
}

const notUnseen: Refusal = {
  code: "server.busy",
  message: "Places are given to those who come themselves.",
  retryable: true,
};

const noCookie: Refusal = {
  code: "place.not-found",
  message: "This browser has no place in the line. It may keep no cookies.",
};
