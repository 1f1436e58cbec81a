import { queueNotFound } from "@openseat/kernel";
import { friendlyName } from "@openseat/protocol/friendly-names";
import type { FastifyReply } from "fastify";
import type { Identity } from "../../app/identity.ts";
import type { ShownPlace, Sight } from "../../app/queues/wait-places.ts";
import { mapped, type Result, refused } from "../../app/result.ts";
import { guestLifetimeSeconds } from "../auth/authenticator.ts";
import { cookie, cookieOf } from "../http/headers/cookies.ts";
import { hereOf } from "../http/headers/here.ts";
import { type Destination, destinationOf } from "../site/return-address.ts";
import { fail, type PageRequest, type WaitDeps } from "./pages.ts";

const guestCookie = "openseat_guest";
/** The place last seen in this browser, so that the page can say what became of it. Sent only to the same line. */
const placeCookie = "openseat_place";
const seenMark = ".seen";

const queuePattern = /^[A-Za-z0-9_-]{1,64}$/;

export interface Visit {
  readonly queue: string;
  readonly guest: Identity | undefined;
  readonly sight: Sight;
  readonly to: Destination | undefined;
  /** The requested return address, passed on from page to page. */
  readonly returnTo: string | undefined;
  /** The page has already shown that the remembered place is over. */
  readonly hasSeenEnd: boolean;
}

export type PageHandler = (
  request: PageRequest,
  reply: FastifyReply,
  visit: Visit,
) => FastifyReply | Promise<FastifyReply>;

export class Visits {
  readonly #deps: WaitDeps;

  constructor(deps: WaitDeps) {
    this.#deps = deps;
  }

  /** The handler of a page, which shows the refusal if the visit cannot be opened. */
  page(show: PageHandler) {
    return async (request: PageRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const opened = await this.#open(request);
      return "refusal" in opened ? fail(request, reply, opened.refusal) : show(request, reply, opened.value);
    };
  }

  async #open(request: PageRequest): Promise<Result<Visit>> {
    const { queue } = request.params;
    const visited = await this.find(request);
    if ("refusal" in visited) return visited;
    const { sight } = visited.value;
    const wanted = request.query.return;
    const found = destinationOf(wanted, sight.returnAddresses, hereOf(request, this.#deps.publicUrl));
    return mapped(found, (to) => {
      const returnTo = wanted === undefined ? undefined : to?.address;
      return { queue, ...visited.value, to, returnTo };
    });
  }

  async find(request: PageRequest): Promise<Result<Pick<Visit, "guest" | "sight" | "hasSeenEnd">>> {
    const { queue } = request.params;
    if (!queuePattern.test(queue)) return refused(queueNotFound);
    const token = cookieOf(request.headers.cookie, guestCookie);
    const guest = token === undefined ? undefined : this.#deps.authenticator.guestOf(token);
    const remembered = cookieOf(request.headers.cookie, placeCookie);
    const hasSeenEnd = remembered?.endsWith(seenMark) === true;
    const id = hasSeenEnd ? remembered.slice(0, -seenMark.length) : remembered;
    const seen = await this.#deps.waiting.places.find(queue, guest, id);
    return mapped(seen, (sight) => ({ guest, sight, hasSeenEnd }));
  }

  async enter(
    request: PageRequest,
    reply: FastifyReply,
    known: Identity | undefined,
  ): Promise<Result<ShownPlace>> {
    const { authenticator } = this.#deps;
    const { places } = this.#deps.waiting;
    if (authenticator.guestsRefusal) return refused(authenticator.guestsRefusal);
    const { queue } = request.params;
    const made = known ? undefined : authenticator.newGuest();
    const guest: Identity = known ?? { role: "person", by: made!.person.id, name: made!.person.name };
    const { address, headers } = request;
    const origin = { address, userAgent: headers["user-agent"], isOnPage: true };
    const entered = await places.enter(guest, queue, origin);
    if ("refusal" in entered) return entered;
    // Only after the request succeeded: otherwise refused requests would still create guests, past their limit.
    if (made) this.#keep(request, reply, guestCookie, made.token, request.basePath || "/");
    const seen = await places.find(queue, guest, entered.value);
    return mapped(seen, ({ shown }) => shown!);
  }

  become(request: PageRequest, reply: FastifyReply, person: string, placeId: string): void {
    const token = this.#deps.authenticator.tokenForGuest(person, friendlyName(person));
    this.#keep(request, reply, guestCookie, token, request.basePath || "/");
    this.remember(request, reply, placeId);
  }

  remember(request: PageRequest, reply: FastifyReply, placeId: string, hasSeenEnd = false): void {
    const value = hasSeenEnd ? placeId + seenMark : placeId;
    if (cookieOf(request.headers.cookie, placeCookie) === value) return;
    this.#keep(request, reply, placeCookie, value, `${request.basePath}/wait/${request.params.queue}`);
  }

  #keep({ isSecure }: PageRequest, reply: FastifyReply, name: string, value: string, path: string): void {
    const terms = { path, maxAgeSeconds: guestLifetimeSeconds, isSecure };
    reply.header("set-cookie", cookie(name, value, terms));
  }
}
