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
import type { AskOutcome } from "../../host/stream/asks.ts";
import { arrivingBy, enteredView, positionView } from "../../views/queue-views.ts";
import { iso } from "../../views/times.ts";
import { type Identity, personOf } from "../identity.ts";
import { invalidInput } from "../invalid-input.ts";
import {
  type AsyncResult,
  answered,
  mapped,
  type Refused,
  type Result,
  refused,
  type SoonResult,
} from "../result.ts";
import { readRoom, readRoomSoon } from "../rooms/rooms.ts";
import type { PlaceName } from "./place-ids.ts";
import type { PlaceDeps } from "./queues.ts";

/** LN10: where a request came from. */
export interface Origin {
  readonly address: string;
  readonly userAgent: string | undefined;
  /** The waiting page has its own limit. */
  readonly isOnPage?: boolean;
}

/** Callers in this process may name no address. Limits per address do not apply to them. */
type CallerOrigin = Omit<Origin, "address"> & { readonly address: string | undefined };

const metadataBytesMax = 1_024;
const userAgentLengthMax = 256;

export interface Entered {
  readonly position: Position;
  /** False if the person already had this place. */
  readonly isNew: boolean;
}

export class Positions {
  readonly #deps: PlaceDeps;

  constructor(deps: PlaceDeps) {
    this.#deps = deps;
  }

  enter(
    identity: Identity,
    queue: string,
    { given, key, origin }: { given: Entering | undefined; key?: string | undefined; origin: CallerOrigin },
  ): SoonResult<Entered> {
    const newcomer = newcomerOf(identity, given ?? {});
    if ("refusal" in newcomer) return newcomer;
    const { person, onBehalf, lane } = newcomer;
    const arrival = this.#arrival(newcomer.metadata, origin, onBehalf);
    const enter = (number: number): AsyncResult<Entered> => {
      const command: QueueCommand = { type: "enter", person, lane: number, onBehalf, ...arrival };
      const { isOnPage = false, address } = origin;
      const arriving = address === undefined ? undefined : { identity, address, queue, isOnPage };
      let isCounted = arriving === undefined;
      // Counted once, even if the command is decided again after a conflict.
      const limit = ({ settings }: QueueRoom) => {
        const max = settings.entersPerAddressMax ?? null;
        const refusal = isCounted ? undefined : this.#deps.enterLimit.refusalFor(arriving!, max);
        isCounted = refusal === undefined;
        return refusal;
      };
      return this.#deps.streams
        .ask(queue, { command, by: identity.by, key, isNew: true, limit })
        .then((outcome) => this.#entered(queue, person, outcome));
    };
    if (typeof lane === "number") return enter(lane);
    return this.#laneNamed(queue, lane).then((found) => ("refusal" in found ? found : enter(found.value)));
  }

  #entered(queue: string, person: PersonId, outcome: AskOutcome<QueueRoom, QueueEvent>): SoonResult<Entered> {
    if ("refusal" in outcome) return this.#again(queue, person, outcome);
    const { entry, replayed } = outcome;
    const arriving = arrivingBy(entry);
    const { ticket } = arriving.entered;
    const place = { ticket, person, changedAt: entry.at, until: arriving.admission?.claimBy };
    const token = arriving.admission && this.#tokenFor(queue, place);
    const position = enteredView(
      { id: this.#deps.ids.idOf(queue, ticket), queue, token },
      arriving,
      entry.at,
    );
    return { value: { position, isNew: true }, replayed };
  }

  /** LS5: a person who enters again keeps their place. */
  async #again(queue: string, person: PersonId, outcome: Refused): AsyncResult<Entered> {
    const { code, data } = outcome.refusal;
    if (code !== "place.exists") return outcome;
    const ticket = data!.ticket as TicketNumber;
    const shown = await this.#show({ queue, ticket }, person, this.#deps.ids.idOf(queue, ticket));
    return mapped(shown, ({ position }) => ({ position, isNew: false }));
  }

  #tokenFor(queue: string, { ticket, person, changedAt, until }: TimedPlace): string {
    const times = { issuedAt: changedAt, expiresAt: until! };
    return this.#deps.proofs.sign({ use: "admission", queue, person, ticket, ...times });
  }

  #arrival(metadata: string | undefined, { address, userAgent }: CallerOrigin, onBehalf: boolean): Arrival {
    if (onBehalf) return metadata === undefined ? {} : { metadata };
    const network = this.#deps.networks.of(address);
    return {
      ...(metadata !== undefined && { metadata }),
      ...(network !== undefined && { address: network }),
      ...(userAgent !== undefined && { userAgent: printable(userAgent) }),
    };
  }

  #laneNamed(queue: string, name: string): AsyncResult<number> {
    return readRoom(this.#deps.streams, queue, queueNotFound, ({ terms: { lanes } }) => {
      const number = lanes.findIndex((lane) => lane.name === name);
      if (number >= 0) return { value: number };
      const names = lanes.map((lane) => lane.name).join(", ");
      const message = `This waiting room has no such lane. Its lanes are ${names}.`;
      return refused({ code: "lane.unknown", message, data: { lane: name } });
    });
  }

  /** LS1: this is a heartbeat. */
  get(identity: Identity, id: string): SoonResult<PositionOnly> {
    const name = this.#deps.ids.placeOf(id);
    return name ? this.#show(name, askerOf(identity), id) : refused(placeNotFound);
  }

  heartbeat(identity: Identity, id: string): SoonResult<PositionOnly> {
    const name = this.#deps.ids.placeOf(id);
    if (!name) return refused(placeNotFound);
    return this.#read(name, askerOf(identity), (room, place, heartbeatAt) => {
      const { state, reason, changedAt } = place;
      if (reason !== undefined) return refused(placeGone(state, { reason, endedAt: changedAt }));
      return { value: this.#view({ id, queue: name.queue, heartbeatAt }, room, place) };
    });
  }

  async leave(identity: Identity, id: string, key?: string): AsyncResult<PositionLeft> {
    const { ids, streams } = this.#deps;
    const name = ids.placeOf(id);
    if (!name) return refused(placeNotFound);
    const { queue, ticket } = name;
    const person = askerOf(identity);
    // RM5: a person gives up their own place; a service or an operator takes it away.
    const [type, status] =
      person === undefined ? (["terminate", "EXPIRED"] as const) : (["leave", "LEFT"] as const);
    const command: QueueCommand = { type, ticket, person };
    return answered(await streams.ask(queue, { command, by: identity.by, key }), ({ entry }) => {
      const { reason } = entry.events[0] as Extract<QueueEvent, { readonly type: "left" | "expired" }>;
      const endedAt = iso(entry.at);
      return { position: { id, queue, status, reason, endedAt, leftAt: endedAt } };
    });
  }

  /** LN10: read from the log, because memory cannot hold it for a million places. */
  async details(identity: Identity, id: string): AsyncResult<PositionDetailsOnly> {
    const { ids, streams } = this.#deps;
    const name = ids.placeOf(id);
    if (!name) return refused(placeNotFound);
    const found = await this.#read(name, askerOf(identity), (_room, place) => ({ value: place }));
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

  #show(name: PlaceName, person: PersonId | undefined, id: string): SoonResult<PositionOnly> {
    return this.#read(name, person, (room, place, heartbeatAt) => ({
      value: this.#view({ id, queue: name.queue, heartbeatAt }, room, place),
    }));
  }

  #view(
    { id, queue, heartbeatAt }: { id: string; queue: string; heartbeatAt: Millis | undefined },
    room: QueueRoom,
    place: QueuePlace,
  ): PositionOnly {
    const token = place.state === "admitted" ? this.#tokenFor(queue, place) : undefined;
    return { position: positionView({ id, queue, token, heartbeatAt }, room, place) };
  }

  #read<Value>(
    { queue, ticket }: PlaceName,
    person: PersonId | undefined,
    select: (room: QueueRoom, place: QueuePlace, heartbeatAt: Millis | undefined) => Result<Value>,
  ): SoonResult<Value> {
    const { streams } = this.#deps;
    // Read before this request counts as a heartbeat. A person's own request always counts.
    const heartbeatAt = person === undefined ? streams.heardSince(queue, ticket) : undefined;
    streams.heard(queue, ticket);
    return readRoomSoon<QueueRoom, Value>(streams, queue, (room, _version, now) => {
      if (!room) return refused(placeNotFound);
      const place = queuePlace(room, ticket, person, now);
      if ("refusal" in place) return place;
      // LN11: a room that was not in memory missed the heartbeat above.
      if (place.away) streams.heard(queue, ticket);
      return select(
        room,
        place,
        person === undefined ? (heartbeatAt ?? lately(room, place, now)) : undefined,
      );
    });
  }
}

/** Entering is a heartbeat, even if no window has begun since. */
function lately({ settings }: QueueRoom, { enteredAt }: QueuePlace, now: Millis): Millis | undefined {
  return now - enteredAt <= settings.heartbeatTimeoutMs ? enteredAt : undefined;
}

/** AU3: services and operators may ask about anyone's place; a person only about their own. */
export function askerOf(identity: Identity): PersonId | undefined {
  return identity.role === "person" ? personOf(identity) : undefined;
}

export type TimedPlace = Pick<QueuePlace, "ticket" | "person" | "changedAt" | "until">;

interface Newcomer {
  readonly person: PersonId;
  readonly lane: number | string;
  readonly metadata: string | undefined;
  readonly onBehalf: boolean;
}

/** LN9: only a signed claim, a service or an operator assigns a lane. */
function newcomerOf(identity: Identity, given: Entering): Newcomer | Refused {
  const metadata = given.metadata && JSON.stringify(given.metadata);
  if (metadata !== undefined && Buffer.byteLength(metadata) > metadataBytesMax)
    return refused(invalidInput("body", "metadata", `must take at most ${metadataBytesMax} bytes as JSON`));
  const userId = given.userId ?? given.person;
  if (given.person !== undefined && given.person !== userId)
    return refused(invalidInput("body", "person", "is the former name of userId: send only one of them"));
  if (identity.role !== "person") {
    if (userId === undefined)
      return refused(invalidInput("body", "userId", "is required: it names the person who enters"));
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
  message: "You can only enter yourself.",
};
const notYourLane: Refusal = {
  code: "lane.forbidden",
  message: "Your token does not grant this lane. Choose another lane, or omit it.",
};

/** Replaces characters that could harm a terminal that shows the log. */
function printable(userAgent: string): string {
  return userAgent.replace(/[^\x20-\x7e]/g, "?").slice(0, userAgentLengthMax);
}
