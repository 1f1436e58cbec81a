import { Claiming, PlaceId, type SessionOnly } from "@openseat/protocol";
import type { Claimed } from "../../app/queues/sessions.ts";
import type { Actor } from "../actor.ts";
import { type Answered, anyRole, type CallOptions, type Calls } from "./calls.ts";

/** Visits of people whom a waiting room admitted. */
export class SessionsApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Begins the visit, with the token of the admission. */
  claim(actor: Actor, claiming: Claiming, options?: CallOptions): Answered<Claimed> {
    const call = { actor, by: anyRole, options, body: [Claiming, claiming] } as const;
    return this.#calls.act(call, ({ waiting }, { who, key, body }) => waiting.sessions.claim(who, body, key));
  }

  heartbeat(actor: Actor, id: string): Answered<SessionOnly> {
    return this.#calls.act(about(actor, id), ({ waiting }, { who }) => waiting.sessions.heartbeat(who, id));
  }

  /** The visit reached its goal. */
  complete(actor: Actor, id: string, options?: CallOptions): Answered<SessionOnly> {
    const call = about(actor, id, options);
    return this.#calls.act(call, ({ waiting }, { who, key }) => waiting.sessions.complete(who, id, key));
  }

  /** A person leaves; a service or an operator ends the visit. */
  end(actor: Actor, id: string, options?: CallOptions): Answered<SessionOnly> {
    const call = about(actor, id, options);
    return this.#calls.act(call, ({ waiting }, { who, key }) => waiting.sessions.terminate(who, id, key));
  }
}

function about(actor: Actor, id: string, options?: CallOptions) {
  return { actor, by: anyRole, options, takes: [[PlaceId, id, "id"]] as const };
}
