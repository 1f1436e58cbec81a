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
import { feedMessage, type Lens } from "../../feed/watch.ts";
import type { Outcome } from "../../host/stream/asks.ts";
import type { Streams } from "../../host/streams.ts";
import type { Entry } from "../../log/entry.ts";
import { countsAfter, queueChanges } from "../../views/queue-changes.ts";
import { queueAfter, queueListed, queueStatsView, queueView } from "../../views/queue-views.ts";
import { iso } from "../../views/times.ts";
import type { Identity } from "../identity.ts";
import { invalidInput } from "../invalid-input.ts";
import { mapped, type Refused, type Result, refused } from "../result.ts";
import { listRooms, lookAt, lookFor, newRoomId, type RoomQuery } from "../rooms/rooms.ts";
import { faultInLanes, hasThreeDecimals, lanesFrom } from "./given-lanes.ts";
import type { PlaceIds } from "./place-ids.ts";

export type QueueStreams = Streams<QueueRoom, QueueCommand, QueueEvent>;

/** What a waiting room is like unless it is told otherwise. */
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

/** A waiting room that was to be paused or resumed; it may have been so already. */
export interface Switched {
  readonly queue: Queue;
  readonly hasChanged: boolean;
}

/** What operators ask of waiting rooms, and what anyone may know of them. */
export class Queues {
  readonly #streams: QueueStreams;
  readonly #idSecret: string;
  readonly #positionIds: PlaceIds;

  constructor(streams: QueueStreams, idSecret: string, positionIds: PlaceIds) {
    this.#streams = streams;
    this.#idSecret = idSecret;
    this.#positionIds = positionIds;
  }

  async create(identity: Identity, given: NewQueue, key?: string): Promise<Result<QueueOnly>> {
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
    return queueAfterEntry(await this.#streams.ask(id, { command, by: identity.by, key }), id);
  }

  async change(
    identity: Identity,
    id: string,
    given: QueueChanges,
    key?: string,
  ): Promise<Result<QueueOnly>> {
    const fault = faultIn(given);
    if (fault) return refused(fault);
    // A burst that suited the old rate could hold the new one back without a word.
    const usual = typeof given.rate === "number" ? { burst: burstFor(given.rate) } : {};
    const changes = { ...usual, ...settingsFrom(given) };
    const command: QueueCommand = { type: "configure", changes, formerDefaults: formerBurst(given) };
    return queueAfterEntry(await this.#streams.ask(id, { command, by: identity.by, key }), id);
  }

  pause(identity: Identity, id: string, key?: string): Promise<Result<Switched>> {
    return this.#switch(identity, id, { type: "pause" }, key);
  }

  resume(identity: Identity, id: string, key?: string): Promise<Result<Switched>> {
    return this.#switch(identity, id, { type: "resume" }, key);
  }

  /** AD5: what is so already needs no entry, and is no error. */
  async #switch(
    identity: Identity,
    id: string,
    command: { readonly type: "pause" | "resume" },
    key: string | undefined,
  ): Promise<Result<Switched>> {
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    const isSo = "refusal" in outcome && ["queue.paused", "queue.running"].includes(outcome.refusal.code);
    const result = isSo ? await this.get(id) : queueAfterEntry(outcome, id);
    return mapped(result, ({ queue }) => ({ queue, hasChanged: !isSo }));
  }

  async end(identity: Identity, id: string, key?: string): Promise<Result<QueueOnly>> {
    const outcome = await this.#streams.ask(id, { command: { type: "end" }, by: identity.by, key });
    if ("refusal" in outcome) return outcome;
    // Nothing changes in a waiting room that has ended, so this is what it was right after the entry.
    return { value: { queue: queueView(id, outcome.state) }, replayed: outcome.replayed };
  }

  get(id: string): Promise<Result<QueueOnly>> {
    return this.#look(id, (room) => ({ queue: queueView(id, room) }));
  }

  stats(id: string): Promise<Result<QueueStatsOnly>> {
    return this.#look(id, (room, now) => ({ stats: queueStatsView(id, queueStatistics(room, now)) }));
  }

  async list(query: RoomQuery): Promise<Result<QueueList>> {
    const { rooms: queues, nextCursor } = await listRooms(this.#streams, query, queueListed);
    return { value: { queues, nextCursor } };
  }

  /** How the feed shows a queue to services and operators (FD5); a refusal when there is none. */
  async lens(id: string): Promise<Lens | Refused> {
    const found = await lookAt(this.#streams, id, queueNotFound, ({ terms }) => ({ value: terms }));
    if ("refusal" in found) return found;
    const look = lookFor(this.#streams, id);
    const positionId = (ticket: number) => this.#positionIds.idOf(id, ticket);
    const naming = { id, terms: found.value, positionId };
    return {
      view: () =>
        look((room, version) =>
          room ? feedMessage("view", version, { queue: queueView(id, room) }) : undefined,
        ),
      change: (entry) => {
        const told = entry as Entry<QueueEvent>;
        const changes = queueChanges(naming, told);
        return feedMessage("change", entry.version, {
          ...{ queue: id, at: iso(entry.at), changes },
          ...countsAfter(told),
        });
      },
    };
  }

  #look<Value>(id: string, look: (room: QueueRoom, now: Millis) => Value): Promise<Result<Value>> {
    return lookAt(this.#streams, id, queueNotFound, (room, _version, now) => ({ value: look(room, now) }));
  }
}

/** A second's worth of the rate, and 1 at least: two at once would be many seconds' worth of a rate far below 1. */
function burstFor(rate: number | null | undefined): number {
  return typeof rate === "number" ? Math.ceil(rate) : 1;
}

/** What a rate brought before, when it was two at least. */
function formerBurst({ rate, burst }: NewQueue | QueueChanges): Partial<QueueSettings> {
  return typeof rate === "number" && burst === undefined ? { burst: Math.max(2, Math.ceil(rate)) } : {};
}

/** In the words and units of the kernel; only what was given. */
function settingsFrom(given: QueueChanges): Partial<QueueSettings> {
  const ms = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);
  const settings = {
    title: given.title?.trim(),
    seats: given.maxActive,
    ratePerSecond: given.rate,
    burst: given.burst,
    lineLengthMax: given.maxWaiting,
    patienceMs: ms(given.patienceSeconds),
    heartbeatTimeoutMs: ms(given.heartbeatTimeoutSeconds),
    claimTimeoutMs: ms(given.claimTimeoutSeconds),
    sessionDurationMs: ms(given.sessionDurationSeconds),
    sessionTimeoutMs: given.sessionTimeoutSeconds === null ? null : ms(given.sessionTimeoutSeconds),
    returnAddresses: given.returnAddresses,
    entersPerAddressMax: given.maxEntersPerAddress,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** What a schema cannot say: finer numbers would be rounded without a word, and nobody could be sent to no address. */
function faultIn(given: NewQueue | QueueChanges): Refusal | undefined {
  if (typeof given.rate === "number" && !hasThreeDecimals(given.rate))
    return invalidInput("body", "rate", "must have at most three decimals");
  const address = given.returnAddresses?.findIndex((text) => !URL.canParse(text, "http://localhost")) ?? -1;
  if (address >= 0) return invalidInput("body", `returnAddresses.${address}`, "is not an address");
  return "lanes" in given ? faultInLanes(given.lanes ?? []) : undefined;
}

/** The waiting room as the entry left it, or why there is none. */
function queueAfterEntry(outcome: Outcome<QueueRoom, QueueEvent>, id: string): Result<QueueOnly> {
  if ("refusal" in outcome) return outcome;
  const { state, entry, replayed } = outcome;
  return { value: { queue: queueAfter(id, state.terms, entry) }, replayed };
}
