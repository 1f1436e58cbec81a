import {
  type PersonId,
  placeGone,
  placeNotFound,
  type QueueCommand,
  type QueuePlace,
  type QueueRoom,
  queuePlace,
} from "@openseat/kernel";
import type { Claiming, Session, SessionOnly } from "@openseat/protocol";
import { sessionView } from "../../views/queue-views.ts";
import type { Identity } from "../identity.ts";
import { type AsyncResult, answered, mapped, refused } from "../result.ts";
import { readRoom, readRoomSoon } from "../rooms/rooms.ts";
import type { PlaceName } from "./place-ids.ts";
import { askerOf, type TimedPlace } from "./positions.ts";
import type { PlaceDeps } from "./queues.ts";

export interface Claimed {
  readonly session: Session;
  /** False if the admission was claimed before. */
  readonly isNew: boolean;
}

export class Sessions {
  readonly #deps: PlaceDeps;

  constructor(deps: PlaceDeps) {
    this.#deps = deps;
  }

  /**
   * AD7: claiming starts the session. Claiming again returns the same session, even with an expired token, because the first
   * response may have been lost. The room decides whether the first claim was in time.
   */
  async claim(identity: Identity, { token, queue: wanted }: Claiming, key?: string): AsyncResult<Claimed> {
    const { proofs, now } = this.#deps;
    const wanting = { use: "admission", queue: wanted, person: askerOf(identity) } as const;
    // Without an identity or a key, nothing shows that the token belongs to the caller, so an expired token is rejected.
    const isAsker = identity.role === "person" || key !== undefined;
    const checked = proofs.checkFor(token, wanting, isAsker ? 0 : now());
    if ("refusal" in checked) return checked;
    const { queue, person, ticket } = checked.value;
    const claimed = await this.claimPlace({ queue, ticket }, person, identity.by, key);
    if (!("refusal" in claimed) || claimed.refusal.code !== "place.over") return claimed;
    const late = proofs.checkFor(token, wanting, now());
    return "refusal" in late ? late : claimed;
  }

  async claimPlace(
    { queue, ticket }: PlaceName,
    person: PersonId,
    by: string,
    key?: string,
  ): AsyncResult<Claimed> {
    const { streams } = this.#deps;
    streams.noteHeartbeat(queue, ticket);
    const command: QueueCommand = { type: "claim", ticket, person };
    const outcome = await streams.ask(queue, { command, by, key });
    if ("refusal" in outcome) {
      const { code, data } = outcome.refusal;
      if (code !== "place.unready" || data?.status !== "active") return outcome;
      const shown = await this.#show({ queue, ticket }, person);
      return mapped(shown, ({ session }) => ({ session, isNew: false }));
    }
    const { entry, replayed } = outcome;
    const [claimed] = entry.events;
    if (claimed.type !== "claimed") throw new Error("The entry of a claim has no session.");
    const session = this.#view(queue, { ticket, person, changedAt: entry.at, until: claimed.until });
    return { value: { session, isNew: true }, replayed };
  }

  async heartbeat(identity: Identity, id: string): AsyncResult<SessionOnly> {
    const name = this.#deps.ids.placeOf(id);
    return name ? this.#show(name, askerOf(identity)) : refused(placeNotFound);
  }

  complete(identity: Identity, id: string, key?: string): AsyncResult<SessionOnly> {
    return this.#end(identity, id, "complete", key);
  }

  /** A person leaves; a service or an operator ends the session. */
  terminate(identity: Identity, id: string, key?: string): AsyncResult<SessionOnly> {
    return this.#end(identity, id, identity.role === "person" ? "leave" : "terminate", key);
  }

  /** AD9: the active session of this id in this queue. Asking is a heartbeat. */
  async gate(queue: string, id: string): AsyncResult<QueuePlace | undefined> {
    const { ids, streams } = this.#deps;
    const name = ids.placeOf(id);
    if (name?.queue !== queue) return { value: undefined };
    streams.noteHeartbeat(queue, name.ticket);
    return readRoomSoon<QueueRoom, QueuePlace | undefined>(streams, queue, (room, _version, now) => {
      const place = room && queuePlace(room, name.ticket, undefined, now);
      return { value: place && "state" in place && place.state === "active" ? place : undefined };
    });
  }

  async #end(
    identity: Identity,
    id: string,
    type: keyof typeof statusAfter,
    key: string | undefined,
  ): AsyncResult<SessionOnly> {
    const { ids, streams } = this.#deps;
    const name = ids.placeOf(id);
    if (!name) return refused(placeNotFound);
    const { queue, ticket } = name;
    const command: QueueCommand = { type, ticket, person: askerOf(identity) };
    const outcome = await streams.ask(queue, { command, by: identity.by, key });
    return answered(outcome, () => ({
      session: sessionView({ id, queue, token: undefined }, statusAfter[type], undefined),
    }));
  }

  #show({ queue, ticket }: PlaceName, person: PersonId | undefined): AsyncResult<SessionOnly> {
    const { streams } = this.#deps;
    streams.noteHeartbeat(queue, ticket);
    return readRoom(streams, queue, placeNotFound, (room, _version, now) => {
      const place = queuePlace(room, ticket, person, now);
      if ("refusal" in place) return place;
      if (place.state === "active") return { value: { session: this.#view(queue, place) } };
      if (place.state === "waiting" || place.state === "admitted") return refused(placeNotFound);
      return refused(placeGone(place.state, { reason: place.reason, endedAt: place.changedAt }));
    });
  }

  #view(queue: string, { ticket, person, changedAt, until }: TimedPlace): Session {
    const { ids, proofs } = this.#deps;
    const id = ids.idOf(queue, ticket);
    const times = { issuedAt: changedAt, expiresAt: until! };
    const token = proofs.sign({ use: "session", queue, person, ticket, sessionId: id, ...times });
    return sessionView({ id, queue, token }, "active", until);
  }
}

const statusAfter = { complete: "completed", leave: "left", terminate: "expired" } as const;
