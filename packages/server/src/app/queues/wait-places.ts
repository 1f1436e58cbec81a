import {
  codeUsed,
  livePlaceIn,
  type Millis,
  type PersonId,
  placeNotFound,
  type QueuePlace,
  type QueueRoom,
  queueNotFound,
  queuePlace,
  type TicketNumber,
} from "@openseat/kernel";
import type { PositionLeft, Session } from "@openseat/protocol";
import type { WaitState } from "@openseat/web";
import { guestPrefix, type Identity, personOf } from "../identity.ts";
import { mapped, type Result, refused } from "../result.ts";
import { lookAt } from "../rooms/rooms.ts";
import type { AdmissionProofs } from "./admission-proofs.ts";
import { MoveCodes } from "./move-codes.ts";
import type { PlaceIds } from "./place-ids.ts";
import type { Origin, Positions } from "./positions.ts";
import type { QueueStreams } from "./queues.ts";
import type { Sessions } from "./sessions.ts";
import { waitStateOf } from "./wait-state.ts";

/** A place, and what its person is told of it. */
export interface ShownPlace {
  readonly id: string;
  readonly place: QueuePlace;
  readonly wait: WaitState;
  /** LS6: how often it was moved to another device. */
  readonly moves: number;
}

/** The line as one person sees it. */
export interface Sight {
  readonly title: string;
  readonly returnAddresses: readonly string[];
  readonly claimTimeoutMs: number;
  readonly shown: ShownPlace | undefined;
}

interface Looking {
  readonly person: PersonId | undefined;
  readonly remembered: TicketNumber | undefined;
  readonly now: Millis;
}

export interface WaitPlaceParts {
  readonly streams: QueueStreams;
  readonly ids: PlaceIds;
  readonly positions: Positions;
  readonly sessions: Sessions;
  readonly proofs: AdmissionProofs;
  readonly secret: string;
  readonly now: () => Millis;
}

/** What the waiting page asks of a line, for a person whom it knows by a cookie. */
export class WaitPlaces {
  readonly #parts: WaitPlaceParts;
  readonly #codes: MoveCodes;

  constructor(parts: WaitPlaceParts) {
    this.#parts = parts;
    this.#codes = new MoveCodes(parts.secret);
  }

  /**
   * The person's live place, else the one that they remember, which may be over. Looking is a heartbeat (LS1).
   */
  async look(
    queue: string,
    person: PersonId | undefined,
    rememberedId: string | undefined,
  ): Promise<Result<Sight>> {
    const { streams, ids } = this.#parts;
    const name = rememberedId === undefined ? undefined : ids.placeOf(rememberedId);
    const remembered = name?.queue === queue ? name.ticket : undefined;
    // Before anything that waits: the place must not lapse while its own person asks for it.
    if (remembered !== undefined) streams.heard(queue, remembered);
    const see = (room: QueueRoom, _version: number, now: Millis): Result<Sight> => ({
      value: this.#sight(queue, room, { person, remembered, now }),
    });
    const seen =
      streams.peek(queue, (room, version, now) => (room ? see(room, version, now) : undefined)) ??
      (await lookAt(streams, queue, queueNotFound, see));
    const place = "refusal" in seen ? undefined : seen.value.shown?.place;
    // LN11: if the room came into memory only now, it has missed the heartbeat above.
    if (place && (place.ticket !== remembered || place.away)) streams.heard(queue, place.ticket);
    return seen;
  }

  #sight(queue: string, room: QueueRoom, { person, remembered, now }: Looking): Sight {
    const { title, returnAddresses, claimTimeoutMs } = room.settings;
    const place =
      person && (livePlaceIn(room, person, now) ?? (remembered && queuePlace(room, remembered, person, now)));
    const shown = place && "state" in place ? this.#shown(queue, room, place, now) : undefined;
    return { title, returnAddresses, claimTimeoutMs, shown };
  }

  /** The id of the place that they have now: a new one, or the one that they had (LS5). */
  async enter(identity: Identity, queue: string, origin: Origin): Promise<Result<string>> {
    const entered = await this.#parts.positions.enter(identity, queue, { given: undefined, origin });
    return mapped(entered, ({ position }) => position.id);
  }

  leave(identity: Identity, id: string): Promise<Result<PositionLeft>> {
    return this.#parts.positions.leave(identity, id);
  }

  /** AD7: the session of an admitted place, or of an active one once more. */
  async claim(queue: string, { ticket, person }: QueuePlace): Promise<Result<Session>> {
    const claimed = await this.#parts.sessions.claimPlace({ queue, ticket }, person, person);
    return mapped(claimed, ({ session }) => session);
  }

  /** A proof for a site that our cookies do not reach. Claimed there, it gives the session that there is already. */
  tokenFor(queue: string, { ticket, person, changedAt, until, state }: QueuePlace, claimTimeoutMs: number) {
    const { proofs, now } = this.#parts;
    // The token of the admission has run out long ago when someone comes by again in the middle of their session.
    const issuedAt = state === "admitted" ? changedAt : now();
    const expiresAt = state === "admitted" ? until! : Math.min(until!, issuedAt + claimTimeoutMs);
    return proofs.sign({ use: "admission", queue, person, ticket, issuedAt, expiresAt });
  }

  /** A code by which another device gets this place, once. */
  moveCode(queue: string, { place, moves }: ShownPlace): ReturnType<MoveCodes["codeFor"]> {
    return this.#codes.codeFor(queue, place.ticket, moves, this.#parts.now());
  }

  /** LS6: the place that a typed code is for. Only of guests: others can prove on any device who they are. */
  async redeem(queue: string, typed: string): Promise<Result<ShownPlace>> {
    const { now, streams } = this.#parts;
    const ticket = this.#codes.ticketIn(typed);
    if (ticket === undefined) return refused(placeNotFound);
    const found = await lookAt<QueueRoom, ShownPlace>(
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
    streams.heard(queue, ticket);
    const command = { type: "take-along", ticket, before: moves } as const;
    const outcome = await streams.ask(queue, { command, by: place.person });
    return "refusal" in outcome ? outcome : found;
  }

  #shown(queue: string, room: QueueRoom, place: QueuePlace, now: Millis): ShownPlace {
    return {
      id: this.#parts.ids.idOf(queue, place.ticket),
      place,
      wait: waitStateOf(room, place, now),
      moves: room.takenAlong.get(place.ticket) ?? 0,
    };
  }
}

export function isOver({ place }: ShownPlace): boolean {
  return place.reason !== undefined;
}

export function personIn(identity: Identity | undefined): PersonId | undefined {
  return identity && personOf(identity);
}
