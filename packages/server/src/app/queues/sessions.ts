import {
  type Millis,
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
import { mapped, type Result, refused } from "../result.ts";
import { lookAt } from "../rooms/rooms.ts";
import type { AdmissionProofs } from "./admission-proofs.ts";
import type { PlaceIds, PlaceName } from "./place-ids.ts";
import { askerOf } from "./positions.ts";
import type { QueueStreams } from "./queues.ts";

/** The session of a claimed admission; it may have been claimed before. */
export interface Claimed {
  readonly session: Session;
  readonly isNew: boolean;
}

export interface SessionParts {
  readonly streams: QueueStreams;
  readonly ids: PlaceIds;
  readonly proofs: AdmissionProofs;
  readonly now: () => Millis;
}

/** What can be asked of those who are inside. */
export class Sessions {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /**
   * AD7: claiming starts the session; claiming again gives the same one, also when the token's time is over meanwhile:
   * whoever got no answer asks once more. Whether the claim itself came in time is for the room to say.
   */
  async claim(
    identity: Identity,
    { token, queue: wanted }: Claiming,
    key?: string,
  ): Promise<Result<Claimed>> {
    const { proofs, now } = this.#parts;
    const wanting = { use: "admission", queue: wanted, person: askerOf(identity) } as const;
    // Of someone who shows nothing but the token it is not known that it is theirs: for them its time is its time.
    const isAsker = identity.role === "person" || key !== undefined;
    const checked = proofs.checkFor(token, wanting, isAsker ? 0 : now());
    if ("refusal" in checked) return checked;
    const { queue, person, ticket } = checked.value;
    const claimed = await this.claimPlace({ queue, ticket }, person, identity.by, key);
    if (!("refusal" in claimed) || claimed.refusal.code !== "place.over") return claimed;
    const late = proofs.checkFor(token, wanting, now());
    return "refusal" in late ? late : claimed;
  }

  /** For those who know already whose place it is. */
  async claimPlace(
    { queue, ticket }: PlaceName,
    person: PersonId,
    by: string,
    key?: string,
  ): Promise<Result<Claimed>> {
    const { streams } = this.#parts;
    streams.heard(queue, ticket);
    const command: QueueCommand = { type: "claim", ticket, person };
    const outcome = await streams.ask(queue, { command, by, key });
    if (!("refusal" in outcome)) {
      const { entry, replayed } = outcome;
      const [claimed] = entry.events;
      if (claimed.type !== "claimed") throw new Error("A claim led to an entry without a session.");
      const session = this.#view(queue, { ticket, person, changedAt: entry.at, until: claimed.until });
      return { value: { session, isNew: true }, replayed };
    }
    const { code, data } = outcome.refusal;
    if (code !== "place.unready" || data?.status !== "active") return outcome;
    const shown = await this.#show({ queue, ticket }, person);
    return mapped(shown, ({ session }) => ({ session, isNew: false }));
  }

  async heartbeat(identity: Identity, id: string): Promise<Result<SessionOnly>> {
    const name = this.#parts.ids.placeOf(id);
    return name ? this.#show(name, askerOf(identity)) : refused(placeNotFound);
  }

  complete(identity: Identity, id: string, key?: string): Promise<Result<SessionOnly>> {
    return this.#end(identity, id, { type: "complete", status: "completed" }, key);
  }

  /** By the person it is leaving; by a service or an operator it is being sent out. */
  terminate(identity: Identity, id: string, key?: string): Promise<Result<SessionOnly>> {
    return identity.role === "person"
      ? this.#end(identity, id, { type: "leave", status: "left" }, key)
      : this.#end(identity, id, { type: "terminate", status: "expired" }, key);
  }

  /** AD9: the session of this id in this queue, while it is active. Asking is a heartbeat. */
  async gate(queue: string, id: string): Promise<Result<QueuePlace | undefined>> {
    const { ids, streams } = this.#parts;
    const name = ids.placeOf(id);
    if (name?.queue !== queue) return { value: undefined };
    streams.heard(queue, name.ticket);
    const look = (room: QueueRoom | undefined, _version: number, now: Millis) => {
      const place = room && queuePlace(room, name.ticket, undefined, now);
      return { value: place && "state" in place && place.state === "active" ? place : undefined };
    };
    const seen = streams.peek(queue, look);
    if (seen) return seen;
    const found = await streams.read(queue, look);
    return "refusal" in found ? found : found.value;
  }

  async #end(
    identity: Identity,
    id: string,
    { type, status }: { type: "complete" | "leave" | "terminate"; status: "completed" | "left" | "expired" },
    key: string | undefined,
  ): Promise<Result<SessionOnly>> {
    const { ids, streams } = this.#parts;
    const name = ids.placeOf(id);
    if (!name) return refused(placeNotFound);
    const { queue, ticket } = name;
    const command: QueueCommand = { type, ticket, person: askerOf(identity) };
    const outcome = await streams.ask(queue, { command, by: identity.by, key });
    if ("refusal" in outcome) return outcome;
    const session = sessionView({ id, queue, token: undefined }, status, undefined);
    return { value: { session }, replayed: outcome.replayed };
  }

  #show({ queue, ticket }: PlaceName, person: PersonId | undefined): Promise<Result<SessionOnly>> {
    const { streams } = this.#parts;
    streams.heard(queue, ticket);
    return lookAt(streams, queue, placeNotFound, (room, _version, now) => {
      const place = queuePlace(room, ticket, person, now);
      if ("refusal" in place) return place;
      if (place.state === "active") return { value: { session: this.#view(queue, place) } };
      if (place.state === "waiting" || place.state === "admitted") return refused(placeNotFound);
      return refused(placeGone(place.state, { reason: place.reason, endedAt: place.changedAt }));
    });
  }

  #view(
    queue: string,
    { ticket, person, changedAt, until }: Pick<QueuePlace, "ticket" | "person" | "changedAt" | "until">,
  ): Session {
    const { ids, proofs } = this.#parts;
    const id = ids.idOf(queue, ticket);
    const times = { issuedAt: changedAt, expiresAt: until! };
    const token = proofs.sign({ use: "session", queue, person, ticket, sessionId: id, ...times });
    return sessionView({ id, queue, token }, "active", until);
  }
}
