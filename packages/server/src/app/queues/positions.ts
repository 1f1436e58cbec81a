import {
  type Arrival,
  type Millis,
  type PersonId,
  placeGone,
  placeNotFound,
  type QueueCommand,
  type QueueEvent,
  type QueuePlace,
  type QueueRoom,
  queueNotFound,
  queuePlace,
  type Refusal,
  type TicketNumber,
} from "@openseat/kernel";
import type { Entering, Position, PositionDetailsOnly, PositionLeft, PositionOnly } from "@openseat/protocol";
import type { Outcome } from "../../host/stream/asks.ts";
import type { Entry } from "../../log/entry.ts";
import { arrivingBy, enteredView, positionView } from "../../views/queue-views.ts";
import { iso } from "../../views/times.ts";
import { type Identity, personOf } from "../identity.ts";
import { invalidInput } from "../invalid-input.ts";
import type { NetworkHashes } from "../network-hashes.ts";
import { mapped, type Refused, type Result, refused } from "../result.ts";
import { lookAt } from "../rooms/rooms.ts";
import type { AdmissionProofs } from "./admission-proofs.ts";
import type { EnterLimit } from "./enter-limit.ts";
import type { PlaceIds, PlaceName } from "./place-ids.ts";
import type { QueueStreams } from "./queues.ts";

/** Where a request came from, as far as the queue keeps it (LN10). */
export interface Origin {
  readonly address: string;
  readonly userAgent: string | undefined;
  /** By way of the waiting page, which has a limit of its own. */
  readonly isOnPage?: boolean;
}

const limits = { metadataBytesMax: 1_024, userAgentLengthMax: 256 } as const;

/** A result that is there at once where what it takes is in memory. */
export type SoonResult<Value> = Result<Value> | Promise<Result<Value>>;

/** The place of someone who enters, which they may have had before. */
export interface Entered {
  readonly position: Position;
  readonly isNew: boolean;
}

export interface PositionParts {
  readonly streams: QueueStreams;
  readonly ids: PlaceIds;
  readonly proofs: AdmissionProofs;
  readonly enterLimit: EnterLimit;
  readonly networks: NetworkHashes;
}

/** What can be asked of places in a line. */
export class Positions {
  readonly #parts: PositionParts;
  constructor(parts: PositionParts) {
    this.#parts = parts;
  }

  enter(
    identity: Identity,
    queue: string,
    { given, key, origin }: { given: Entering | undefined; key?: string | undefined; origin: Origin },
  ): SoonResult<Entered> {
    const newcomer = newcomerOf(identity, given ?? {});
    if ("refusal" in newcomer) return newcomer;
    const { person, onBehalf, lane } = newcomer;
    const arrival = this.#arrival(newcomer.metadata, origin, onBehalf);
    const enter = (number: number): Promise<Result<Entered>> => {
      const command: QueueCommand = { type: "enter", person, lane: number, onBehalf, ...arrival };
      const { isOnPage = false, address } = origin;
      const arriving = { identity, address, queue, isOnPage };
      let isCounted = false;
      // Decided again after a conflict, it must not count again.
      const limit = ({ settings }: QueueRoom) => {
        const max = settings.entersPerAddressMax ?? null;
        const refusal = isCounted ? undefined : this.#parts.enterLimit.refusalFor(arriving, max);
        isCounted = refusal === undefined;
        return refusal;
      };
      return this.#parts.streams
        .ask(queue, { command, by: identity.by, key, isNew: true, limit })
        .then((outcome) => this.#entered(queue, person, outcome));
    };
    if (typeof lane === "number") return enter(lane);
    return this.#laneNamed(queue, lane).then((found) => ("refusal" in found ? found : enter(found.value)));
  }

  #entered(queue: string, person: PersonId, outcome: Outcome<QueueRoom, QueueEvent>): SoonResult<Entered> {
    if ("refusal" in outcome) return this.#again(queue, person, outcome);
    const { entry, replayed } = outcome;
    const position = enteredView(this.#outside(queue, entry, person), entry);
    return { value: { position, isNew: true }, replayed };
  }

  /** LS5: whoever comes back finds the place that they have. */
  async #again(queue: string, person: PersonId, outcome: Refused): Promise<Result<Entered>> {
    const { code, data } = outcome.refusal;
    if (code !== "place.exists") return outcome;
    const ticket = data!.ticket as TicketNumber;
    const shown = await this.#show({ queue, ticket }, person, this.#parts.ids.idOf(queue, ticket));
    return mapped(shown, ({ position }) => ({ position, isNew: false }));
  }

  #outside(queue: string, entry: Entry<QueueEvent>, person: PersonId) {
    const { entered, admission } = arrivingBy(entry);
    const { ticket } = entered;
    const token =
      admission && this.#tokenFor(queue, { ticket, person, changedAt: entry.at, until: admission.claimBy });
    return { id: this.#parts.ids.idOf(queue, ticket), queue, token };
  }

  #tokenFor(
    queue: string,
    { ticket, person, changedAt, until }: Pick<QueuePlace, "ticket" | "person" | "changedAt" | "until">,
  ): string {
    const times = { issuedAt: changedAt, expiresAt: until! };
    return this.#parts.proofs.sign({ use: "admission", queue, person, ticket, ...times });
  }

  #arrival(metadata: string | undefined, { address, userAgent }: Origin, onBehalf: boolean): Arrival {
    if (onBehalf) return metadata === undefined ? {} : { metadata };
    return {
      ...(metadata !== undefined && { metadata }),
      address: this.#parts.networks.of(address),
      ...(userAgent !== undefined && { userAgent: printable(userAgent) }),
    };
  }

  #laneNamed(queue: string, name: string): Promise<Result<number>> {
    return lookAt(this.#parts.streams, queue, queueNotFound, ({ terms: { lanes } }) => {
      const number = lanes.findIndex((lane) => lane.name === name);
      if (number >= 0) return { value: number };
      const names = lanes.map((lane) => lane.name).join(", ");
      const message = `This waiting room has the lanes ${names}.`;
      return refused({ code: "lane.unknown", message, data: { lane: name } });
    });
  }

  /** Asking for a position is a heartbeat (LS1). */
  get(identity: Identity, id: string): SoonResult<PositionOnly> {
    const name = this.#parts.ids.placeOf(id);
    return name ? this.#show(name, askerOf(identity), id) : refused(placeNotFound);
  }

  heartbeat(identity: Identity, id: string): SoonResult<PositionOnly> {
    const name = this.#parts.ids.placeOf(id);
    if (!name) return refused(placeNotFound);
    return this.#look(name, askerOf(identity), (room, place, heardAt) => {
      const { state, reason, changedAt } = place;
      if (reason !== undefined) return refused(placeGone(state, { reason, endedAt: changedAt }));
      return { value: this.#view({ id, queue: name.queue, heardAt }, room, place) };
    });
  }

  async leave(identity: Identity, id: string, key?: string): Promise<Result<PositionLeft>> {
    const { ids, streams } = this.#parts;
    const name = ids.placeOf(id);
    if (!name) return refused(placeNotFound);
    const person = askerOf(identity);
    // RM5: someone else's word takes a place away; only the person's own gives it up.
    const type = person === undefined ? "terminate" : "leave";
    const command: QueueCommand = { type, ticket: name.ticket, person };
    const outcome = await streams.ask(name.queue, { command, by: identity.by, key });
    if ("refusal" in outcome) return outcome;
    const { replayed, entry } = outcome;
    const status = type === "leave" ? "LEFT" : "EXPIRED";
    const { reason } = entry.events[0] as Extract<QueueEvent, { readonly type: "left" | "expired" }>;
    const endedAt = iso(entry.at);
    const position = { id, queue: name.queue, status, reason, endedAt, leftAt: endedAt } as const;
    return { value: { position }, replayed };
  }

  /** LN10: what was kept of the arrival. It is in the log; memory has better to do than to hold it for a million. */
  async details(identity: Identity, id: string): Promise<Result<PositionDetailsOnly>> {
    const { ids, streams } = this.#parts;
    const name = ids.placeOf(id);
    if (!name) return refused(placeNotFound);
    streams.heard(name.queue, name.ticket);
    const found = await lookAt(streams, name.queue, placeNotFound, (room, _version, now) => {
      const place = queuePlace(room, name.ticket, askerOf(identity), now);
      return "refusal" in place ? place : { value: place };
    });
    if ("refusal" in found) return found;
    const { lane, enteredAt, entry } = found.value;
    const arrival = (await streams.entry(name.queue, entry)).events.find(({ type }) => type === "entered");
    const { metadata, userAgent, address } = arrival as Arrival;
    const details = {
      ...{ id, queue: name.queue, lane, enteredAt: iso(enteredAt) },
      metadata: metadata === undefined ? null : JSON.parse(metadata),
      ...(identity.role === "operator" && { userAgent, address }),
    };
    return { value: { details } };
  }

  /** `id` is the place's: to make it anew costs as much as to check it. */
  #show(name: PlaceName, person: PersonId | undefined, id: string): SoonResult<PositionOnly> {
    return this.#look(name, person, (room, place, heardAt) => ({
      value: this.#view({ id, queue: name.queue, heardAt }, room, place),
    }));
  }

  #view(
    { id, queue, heardAt }: { id: string; queue: string; heardAt: Millis | undefined },
    room: QueueRoom,
    place: QueuePlace,
  ): PositionOnly {
    const token = place.state === "admitted" ? this.#tokenFor(queue, place) : undefined;
    return { position: positionView({ id, queue, token, heardAt }, room, place) };
  }

  #look<Value>(
    { queue, ticket }: PlaceName,
    person: PersonId | undefined,
    look: (room: QueueRoom, place: QueuePlace, heardAt: Millis | undefined) => Result<Value>,
  ): SoonResult<Value> {
    const { streams } = this.#parts;
    // Before this request counts as a heartbeat itself. A person's own request always is one, so it says nothing to them.
    const heardAt = person === undefined ? streams.heardSince(queue, ticket) : undefined;
    streams.heard(queue, ticket);
    const see = (room: QueueRoom | undefined, _version: number, now: Millis): Result<Value> => {
      if (!room) return refused(placeNotFound);
      const place = queuePlace(room, ticket, person, now);
      if ("refusal" in place) return place;
      // LN11: if the room came into memory only now, it has missed the heartbeat above.
      if (place.away) streams.heard(queue, ticket);
      return look(room, place, person === undefined ? (heardAt ?? lately(room, place, now)) : undefined);
    };
    const seen = streams.peek(queue, see);
    if (seen) return seen;
    return streams.read(queue, see).then((found) => ("refusal" in found ? found : found.value));
  }
}

/** To enter is a heartbeat, also where no window has begun since. */
function lately({ settings }: QueueRoom, { enteredAt }: QueuePlace, now: Millis): Millis | undefined {
  return now - enteredAt <= settings.heartbeatTimeoutMs ? enteredAt : undefined;
}

/** Services and operators may ask about anyone's place; a person only about their own (AU3). */
export function askerOf(identity: Identity): PersonId | undefined {
  return identity.role === "person" ? personOf(identity) : undefined;
}

interface Newcomer {
  readonly person: PersonId;
  readonly lane: number | string;
  readonly metadata: string | undefined;
  readonly onBehalf: boolean;
}

/** LN9: a lane comes from a signed claim, or from a service or an operator; never from the person's own word. */
function newcomerOf(identity: Identity, given: Entering): Newcomer | Refused {
  const metadata = given.metadata && JSON.stringify(given.metadata);
  if (metadata !== undefined && Buffer.byteLength(metadata) > limits.metadataBytesMax)
    return refused(
      invalidInput("body", "metadata", `must take at most ${limits.metadataBytesMax} bytes as JSON`),
    );
  const userId = given.userId ?? given.person;
  if (given.person !== undefined && given.person !== userId)
    return refused(invalidInput("body", "person", "is the former name of userId: give one of them"));
  if (identity.role !== "person") {
    if (userId === undefined) return refused(invalidInput("body", "userId", "is needed: whom do you enter?"));
    return { person: userId as PersonId, lane: given.lane ?? 0, metadata, onBehalf: true };
  }
  const person = personOf(identity);
  if (userId !== undefined && userId !== person) return refused(onlyYourself);
  const lane = identity.lane ?? 0;
  if (given.lane !== undefined && given.lane !== lane) return refused(notYourLane);
  return { person, lane, metadata, onBehalf: false };
}

const onlyYourself: Refusal = {
  code: "auth.forbidden",
  message: "A person enters only as themselves.",
};
const notYourLane: Refusal = {
  code: "lane.forbidden",
  message:
    "Your token does not give you this lane. A lane comes from a signed claim, a service or an operator.",
};

/** The log takes any text; tables and terminals do not. */
function printable(userAgent: string): string {
  return userAgent.replace(/[^\x20-\x7e]/g, "?").slice(0, limits.userAgentLengthMax);
}
