import {
  Entering,
  Id,
  PlaceId,
  type PositionDetailsOnly,
  type PositionLeft,
  type PositionOnly,
} from "@openseat/protocol";
import type { Entered } from "../../app/queues/positions.ts";
import type { Actor } from "../actor.ts";
import { type Answered, anyRole, type CallOptions, type Calls } from "./calls.ts";

/** Places in the lines of waiting rooms. */
export class PositionsApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** A service or an operator names the person who enters (`userId`). */
  enter(actor: Actor, queue: string, entering: Entering = {}, options: CallOptions = {}): Answered<Entered> {
    const takes = [[Id, queue, "queue"]] as const;
    const call = { actor, by: anyRole, options, takes, body: [Entering, entering] } as const;
    const { address, userAgent } = options;
    const origin = { address, userAgent };
    return this.#calls.act(call, ({ waiting }, { who, key, body }) =>
      waiting.positions.enter(who, queue, { given: body, key, origin }),
    );
  }

  /** Asking about your own place is a heartbeat. */
  get(actor: Actor, id: string): Answered<PositionOnly> {
    return this.#calls.act(about(actor, id), ({ waiting }, { who }) => waiting.positions.get(who, id));
  }

  heartbeat(actor: Actor, id: string): Answered<PositionOnly> {
    return this.#calls.act(about(actor, id), ({ waiting }, { who }) => waiting.positions.heartbeat(who, id));
  }

  /** A person gives up their place; a service or an operator takes it away. */
  leave(actor: Actor, id: string, options?: CallOptions): Answered<PositionLeft> {
    const call = about(actor, id, options);
    return this.#calls.act(call, ({ waiting }, { who, key }) => waiting.positions.leave(who, id, key));
  }

  details(actor: Actor, id: string): Answered<PositionDetailsOnly> {
    return this.#calls.act(about(actor, id), ({ waiting }, { who }) => waiting.positions.details(who, id));
  }
}

function about(actor: Actor, id: string, options?: CallOptions) {
  return { actor, by: anyRole, options, takes: [[PlaceId, id, "id"]] as const };
}
