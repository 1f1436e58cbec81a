import {
  Id,
  NewQueue,
  QueueChanges,
  type QueueList,
  QueueListQuery,
  type QueueOnly,
  type QueueStatsOnly,
} from "@openseat/protocol";
import type { Switched } from "../../app/queues/queues.ts";
import { roomPageOf } from "../../transport/http/schemas.ts";
import type { operator } from "../actor.ts";
import { type Answered, type CallOptions, type Calls, onlyOperators, type RoomListQuery } from "./calls.ts";

type Operator = typeof operator;

/** Waiting rooms. `PositionsApi` has the places in their lines, `SessionsApi` the visits of those who were admitted. */
export class QueuesApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  create(actor: Operator, queue: NewQueue, options?: CallOptions): Answered<QueueOnly> {
    const call = { actor, by: onlyOperators, options, body: [NewQueue, queue] } as const;
    return this.#calls.act(call, ({ waiting }, { who, key, body }) => waiting.queues.create(who, body, key));
  }

  change(actor: Operator, id: string, changes: QueueChanges, options?: CallOptions): Answered<QueueOnly> {
    const call = { ...operate(actor, id, options), body: [QueueChanges, changes] } as const;
    return this.#calls.act(call, ({ waiting }, { who, key, body }) =>
      waiting.queues.change(who, id, body, key),
    );
  }

  /** Everyone keeps their place, and nobody is admitted. */
  pause(actor: Operator, id: string, options?: CallOptions): Answered<Switched> {
    const call = operate(actor, id, options);
    return this.#calls.act(call, ({ waiting }, { who, key }) => waiting.queues.pause(who, id, key));
  }

  resume(actor: Operator, id: string, options?: CallOptions): Answered<Switched> {
    const call = operate(actor, id, options);
    return this.#calls.act(call, ({ waiting }, { who, key }) => waiting.queues.resume(who, id, key));
  }

  end(actor: Operator, id: string, options?: CallOptions): Answered<QueueOnly> {
    const call = operate(actor, id, options);
    return this.#calls.act(call, ({ waiting }, { who, key }) => waiting.queues.end(who, id, key));
  }

  get(id: string): Answered<QueueOnly> {
    return this.#calls.read(taken(id), ({ waiting }) => waiting.queues.get(id));
  }

  stats(id: string): Answered<QueueStatsOnly> {
    return this.#calls.read(taken(id), ({ waiting }) => waiting.queues.stats(id));
  }

  /** Newest first. */
  list(query?: RoomListQuery): Answered<QueueList> {
    return this.#calls.page([], [QueueListQuery, query], ({ waiting }, page) =>
      waiting.queues.list(roomPageOf(page)),
    );
  }
}

function taken(id: string) {
  return [[Id, id, "id"]] as const;
}

function operate(actor: Operator, id: string, options: CallOptions | undefined) {
  return { actor, by: onlyOperators, options, takes: taken(id) };
}
