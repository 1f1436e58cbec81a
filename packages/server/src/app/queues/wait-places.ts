import {
  codeUsed,
  livePlaceIn,
  type Millis,
  placeNotFound,
  type QueuePlace,
  type QueueRoom,
  queueNotFound,
  queuePlace,
} from "@openseat/kernel";
import type { PositionLeft, Session } from "@openseat/protocol";
import type { WaitState } from "@openseat/web";
import { guestPrefix, type Identity, personOf } from "../identity.ts";
import { type AsyncResult, mapped, refused } from "../result.ts";
import { readRoom, readRoomSoon } from "../rooms/rooms.ts";
import { MoveCodes } from "./move-codes.ts";
import type { Origin, Positions } from "./positions.ts";
import type { PlaceDeps } from "./queues.ts";
import type { Sessions } from "./sessions.ts";
import { waitStateOf } from "./wait-state.ts";

export interface ShownPlace {
  readonly id: string;
  readonly place: QueuePlace;
  readonly wait: WaitState;
  /** LS6: how often it was moved to another device. */
  readonly moves: number;
}

/** The line as seen by one person. */
export interface Sight {
  readonly title: string;
  readonly returnAddresses: readonly string[];
  readonly claimTimeoutMs: number;
  readonly shown: ShownPlace | undefined;
}

export interface WaitPlaceDeps extends PlaceDeps {
  readonly positions: Positions;
  readonly sessions: Sessions;
}

/** The use cases of the waiting page, which identifies a person by a cookie. */
export class WaitPlaces {
  readonly #deps: WaitPlaceDeps;
  readonly #codes: MoveCodes;

  constructor(deps: WaitPlaceDeps) {
    this.#deps = deps;
    this.#codes = new MoveCodes(deps.secret);
  }

  /** The guest's current place; otherwise the place in their cookie, which may be over. This counts as a heartbeat (LS1). */
  async find(
    queue: string,
    guest: Identity | undefined,
    rememberedId: string | undefined,
  ): AsyncResult<Sight> {
    const { streams, ids } = this.#deps;
    const person = guest && personOf(guest);
    const name = rememberedId === undefined ? undefined : ids.placeOf(rememberedId);
    const remembered = name?.queue === queue ? name.ticket : undefined;
    // Before anything that waits: the place must not expire during its own request.
    if (remembered !== undefined) streams.noteHeartbeat(queue, remembered);
    const soon = readRoomSoon<QueueRoom, Sight>(streams, queue, (room, _version, now) => {
      if (!room) return refused(queueNotFound);
      const { title, returnAddresses, claimTimeoutMs } = room.settings;
      const live = person && livePlaceIn(room, person, now);
      const place = live ?? (person && remembered && queuePlace(room, remembered, person, now));
      const shown = place && "state" in place ? this.#shown(queue, room, place, now) : undefined;
      return { value: { title, returnAddresses, claimTimeoutMs, shown } };
    });
    const seen = soon instanceof Promise ? await soon : soon;
    const place = "refusal" in seen ? undefined : seen.value.shown?.place;
    // LN11: a room that was not in memory missed the heartbeat above.
    if (place && (place.ticket !== remembered || place.away)) streams.noteHeartbeat(queue, place.ticket);
    return seen;
  }

  /** The id of a new place, or of the guest's existing one (LS5). */
  async enter(identity: Identity, queue: string, origin: Origin): AsyncResult<string> {
    const entered = await this.#deps.positions.enter(identity, queue, { given: undefined, origin });
    return mapped(entered, ({ position }) => position.id);
  }

  leave(identity: Identity, id: string): AsyncResult<PositionLeft> {
    return this.#deps.positions.leave(identity, id);
  }

  /** AD7: the session of an admitted place, or the current session of an active one. */
  async claim(queue: string, { ticket, person }: QueuePlace): AsyncResult<Session> {
    const claimed = await this.#deps.sessions.claimPlace({ queue, ticket }, person, person);
    return mapped(claimed, ({ session }) => session);
  }

  /** A proof for a site that does not receive our cookies. The site claims the existing session with it. */
  tokenFor(queue: string, { ticket, person, changedAt, until, state }: QueuePlace, claimTimeoutMs: number) {
    const { proofs, now } = this.#deps;
    // During a session, the admission token has already expired.
    const issuedAt = state === "admitted" ? changedAt : now();
    const expiresAt = state === "admitted" ? until! : Math.min(until!, issuedAt + claimTimeoutMs);
    return proofs.sign({ use: "admission", queue, person, ticket, issuedAt, expiresAt });
  }

  /** Moves this place to another device, once. */
  moveCode(queue: string, { place, moves }: ShownPlace): ReturnType<MoveCodes["codeFor"]> {
    return this.#codes.codeFor(queue, place.ticket, moves, this.#deps.now());
  }

  /** LS6: the place that a typed code belongs to. Guests only: other people can sign in on any device. */
  async redeem(queue: string, typed: string): AsyncResult<ShownPlace> {
    const { now, streams } = this.#deps;
    const ticket = this.#codes.ticketIn(typed);
    if (ticket === undefined) return refused(placeNotFound);
    const found = await readRoom<QueueRoom, ShownPlace>(
      streams,
      queue,
      queueNotFound,
      (room, _version, time) => {
        const place = queuePlace(room, ticket, undefined, time);
        if ("refusal" in place) return refused(placeNotFound);
        const isMovable = place.reason === undefined && place.person.startsWith(guestPrefix);
        return isMovable ? { value: this.#shown(queue, room, place, time) } : refused(placeNotFound);
      },
    );
    if ("refusal" in found) return found;
    const { moves, place } = found.value;
    const code = this.#codes.check(queue, typed, moves, now());
    if (code !== "good") return refused(code === "used" ? codeUsed : placeNotFound);
    streams.noteHeartbeat(queue, ticket);
    const command = { type: "take-along", ticket, before: moves } as const;
    const outcome = await streams.ask(queue, { command, by: place.person });
    return "refusal" in outcome ? outcome : found;
  }

  #shown(queue: string, room: QueueRoom, place: QueuePlace, now: Millis): ShownPlace {
    return {
      id: this.#deps.ids.idOf(queue, place.ticket),
      place,
      wait: waitStateOf(room, place, now),
      moves: room.takenAlong.get(place.ticket) ?? 0,
    };
  }
}

export function isOver({ place }: ShownPlace): boolean {
  return place.reason !== undefined;
}
