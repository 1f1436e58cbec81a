import {
  defaultLanes,
  type Millis,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  type QueueSettings,
  queueNotFound,
  queueStatistics,
  type Refusal,
  roomLimits,
} from "@openseat/kernel";
import type { NewQueue, Queue, QueueChanges, QueueList, QueueOnly, QueueStatsOnly } from "@openseat/protocol";
import type { Lens } from "../../feed/watch.ts";
import type { Streams } from "../../host/streams.ts";
import { queueLens } from "../../views/queue-changes.ts";
import { queueAfter, queueListed, queueStatsView, queueView } from "../../views/queue-views.ts";
import type { Identity } from "../identity.ts";
import { invalidInput } from "../invalid-input.ts";
import type { NetworkHashes } from "../network-hashes.ts";
import { type AsyncResult, answered, type Decided, mapped, type Refused, refused } from "../result.ts";
import {
  asked,
  lensOf,
  listRooms,
  ms,
  newRoomId,
  onlyGiven,
  type RoomQuery,
  readRoom,
} from "../rooms/rooms.ts";
import type { AdmissionProofs } from "./admission-proofs.ts";
import type { EnterLimit } from "./enter-limit.ts";
import { faultInLanes, hasThreeDecimals, lanesFrom } from "./given-lanes.ts";
import type { PlaceIds } from "./place-ids.ts";

export type QueueStreams = Streams<QueueRoom, QueueCommand, QueueEvent>;

export interface QueueDeps {
  readonly streams: QueueStreams;
  readonly proofs: AdmissionProofs;
  readonly enterLimit: EnterLimit;
  readonly networks: NetworkHashes;
  /** Also signs tokens. Every other text signed with it starts with words that no token contains. */
  readonly secret: string;
  readonly now: () => Millis;
}

export interface PlaceDeps extends QueueDeps {
  readonly ids: PlaceIds;
}

export const queueDefaults: Omit<QueueSettings, "title" | "seats"> = {
  ratePerSecond: null,
  burst: 1,
  lineLengthMax: roomLimits.lineLengthMax,
  patienceMs: 10 * 60_000,
  heartbeatTimeoutMs: 60_000,
  claimTimeoutMs: 2 * 60_000,
  sessionDurationMs: 10 * 60_000,
  sessionTimeoutMs: null,
  returnAddresses: [],
};

export interface Switched {
  readonly queue: Queue;
  /** False if it was already paused, or already running. */
  readonly hasChanged: boolean;
}

export class Queues {
  readonly #streams: QueueStreams;
  readonly #idSecret: string;
  readonly #positionIds: PlaceIds;

  constructor(streams: QueueStreams, idSecret: string, positionIds: PlaceIds) {
    this.#streams = streams;
    this.#idSecret = idSecret;
    this.#positionIds = positionIds;
  }

  async create(identity: Identity, given: NewQueue, key?: string): AsyncResult<QueueOnly> {
    const fault = faultIn(given);
    if (fault) return refused(fault);
    const command: QueueCommand = {
      type: "create",
      settings: { ...queueDefaults, burst: burstFor(given.rate), ...settingsFrom(given) } as QueueSettings,
      lanes: given.lanes ? lanesFrom(given.lanes) : [...defaultLanes],
      placesPerAddressMax: given.maxPerAddress ?? null,
      creator: identity.by,
      formerDefaults: formerBurst(given),
    };
    const id = given.id ?? newRoomId("queue", identity, key, this.#idSecret);
    return asked(this.#streams, id, { command, by: identity.by, key }, queueOnly);
  }

  async change({ by }: Identity, id: string, given: QueueChanges, key?: string): AsyncResult<QueueOnly> {
    const fault = faultIn(given);
    if (fault) return refused(fault);
    // A burst that suited the old rate could throttle the new one.
    const usual = typeof given.rate === "number" ? { burst: burstFor(given.rate) } : {};
    const changes = { ...usual, ...settingsFrom(given) };
    const command: QueueCommand = { type: "configure", changes, formerDefaults: formerBurst(given) };
    return asked(this.#streams, id, { command, by, key }, queueOnly);
  }

  pause(identity: Identity, id: string, key?: string): AsyncResult<Switched> {
    return this.#switch(identity, id, "pause", key);
  }

  resume(identity: Identity, id: string, key?: string): AsyncResult<Switched> {
    return this.#switch(identity, id, "resume", key);
  }

  /** AD5: repeating the current state is no error and writes no entry. */
  async #switch({ by }: Identity, id: string, type: "pause" | "resume", key?: string): AsyncResult<Switched> {
    const outcome = await this.#streams.ask(id, { command: { type }, by, key });
    const isSo = "refusal" in outcome && ["queue.paused", "queue.running"].includes(outcome.refusal.code);
    const result = isSo ? await this.get(id) : answered(outcome, (decided) => queueOnly(decided, id));
    return mapped(result, ({ queue }) => ({ queue, hasChanged: !isSo }));
  }

  end({ by }: Identity, id: string, key?: string): AsyncResult<QueueOnly> {
    // A waiting room that has ended does not change, so the state is as the entry left it.
    return asked(this.#streams, id, { command: { type: "end" }, by, key }, ({ state }) => ({
      queue: queueView(id, state),
    }));
  }

  get(id: string): AsyncResult<QueueOnly> {
    return this.#read(id, (room) => ({ queue: queueView(id, room) }));
  }

  stats(id: string): AsyncResult<QueueStatsOnly> {
    return this.#read(id, (room, now) => ({ stats: queueStatsView(id, queueStatistics(room, now)) }));
  }

  async list(query: RoomQuery): AsyncResult<QueueList> {
    const { rooms: queues, nextCursor } = await listRooms(this.#streams, query, queueListed);
    return { value: { queues, nextCursor } };
  }

  /** FD5: for services and operators. */
  lens(id: string): Promise<Lens | Refused> {
    const positionId = (ticket: number) => this.#positionIds.idOf(id, ticket);
    return lensOf(this.#streams, id, queueNotFound, (terms, read) =>
      queueLens({ id, terms, positionId }, read),
    );
  }

  #read<Value>(id: string, select: (room: QueueRoom, now: Millis) => Value): AsyncResult<Value> {
    return readRoom(this.#streams, id, queueNotFound, (room, _version, now) => ({
      value: select(room, now),
    }));
  }
}

/** One second's worth of the rate, and at least 1. */
function burstFor(rate: number | null | undefined): number {
  return typeof rate === "number" ? Math.ceil(rate) : 1;
}

/** The burst that a rate set in older versions, which was at least 2. */
function formerBurst({ rate, burst }: NewQueue | QueueChanges): Partial<QueueSettings> {
  return typeof rate === "number" && burst === undefined ? { burst: Math.max(2, Math.ceil(rate)) } : {};
}

function settingsFrom(given: QueueChanges): Partial<QueueSettings> {
  return onlyGiven<QueueSettings>({
    title: given.title?.trim(),
    seats: given.maxActive,
    ratePerSecond: given.rate,
    burst: given.burst,
    lineLengthMax: given.maxWaiting,
    patienceMs: ms(given.patienceSeconds),
    heartbeatTimeoutMs: ms(given.heartbeatTimeoutSeconds),
    claimTimeoutMs: ms(given.claimTimeoutSeconds),
    sessionDurationMs: ms(given.sessionDurationSeconds),
    sessionTimeoutMs: ms(given.sessionTimeoutSeconds),
    returnAddresses: given.returnAddresses,
    entersPerAddressMax: given.maxEntersPerAddress,
  });
}

/** Faults that a schema cannot express. */
function faultIn(given: NewQueue | QueueChanges): Refusal | undefined {
  if (typeof given.rate === "number" && !hasThreeDecimals(given.rate))
    return invalidInput("body", "rate", "must have at most three decimals");
  const address = given.returnAddresses?.findIndex((text) => !URL.canParse(text, "http://localhost")) ?? -1;
  if (address >= 0) return invalidInput("body", `returnAddresses.${address}`, "is not an address");
  return "lanes" in given ? faultInLanes(given.lanes ?? []) : undefined;
}

function queueOnly({ state, entry }: Decided<QueueRoom, QueueEvent>, id: string): QueueOnly {
  return { queue: queueAfter(id, state.terms, entry) };
}
