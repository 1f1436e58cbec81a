import assert from "node:assert/strict";
import { type Answer, type Call, type Client, type Json, metric } from "../support/http.ts";
import { tokenOf } from "../support/tokens.ts";

interface Given {
  readonly client: Client;
  readonly operatorKey?: string;
  readonly serviceKey?: string;
}

/** Requests about arenas from people, services and operators, over HTTP. */
export class Hall {
  readonly client: Client;
  readonly operatorKey: string;
  readonly serviceKey: string;

  constructor({ client, operatorKey = "", serviceKey = "" }: Given) {
    this.client = client;
    this.operatorKey = operatorKey;
    this.serviceKey = serviceKey;
  }

  create(fields: Json = {}, call: Call = {}): Promise<Answer> {
    const body = { title: "An arena", game: "tic-tac-toe", ...fields };
    // Persons do not choose ids (AU6).
    const token = fields.id === undefined ? tokenOf("maker") : this.operatorKey;
    return this.client.post("/api/v1/arenas", { token, body, ...call });
  }

  /** Creates an arena and returns its id. */
  async newArena(fields: Json = {}): Promise<string> {
    const answer = await this.create(fields);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.data.arena.id;
  }

  /**
   * Creates an arena with a running match: the first two have the seats, the others wait in order. Returns its id and the match.
   */
  async playing(people: readonly string[], fields: Json = {}): Promise<{ id: string; match: string }> {
    const id = await this.newArena({ ...patient, ...fields });
    for (const person of people) {
      const answer = await this.join(id, person);
      assert.equal(answer.status, 200, answer.text);
    }
    return { id, match: (await this.look(id)).state.match.id };
  }

  change(id: string, body: Json, call: Call = {}): Promise<Answer> {
    return this.client.call(`/api/v1/arenas/${id}`, {
      method: "PATCH",
      token: tokenOf("maker"),
      body,
      ...call,
    });
  }

  join(id: string, person: string, call: Call = {}): Promise<Answer> {
    return this.#post(`${id}/join`, person, call);
  }

  leave(id: string, person: string, call: Call = {}): Promise<Answer> {
    return this.#post(`${id}/leave`, person, call);
  }

  /** Without a turn, as older clients send it. */
  move(
    id: string,
    person: string,
    match: string,
    move: string,
    { turn, ...call }: Call & { readonly turn?: number | undefined } = {},
  ): Promise<Answer> {
    return this.#post(`${id}/moves`, person, { body: { match, turn, move }, ...call });
  }

  resign(id: string, person: string, match: string, call: Call = {}): Promise<Answer> {
    return this.#post(`${id}/resign`, person, { body: { match }, ...call });
  }

  report(id: string, match: string, winner: string | null, call: Call = {}): Promise<Answer> {
    const token = this.serviceKey;
    return this.client.post(`/api/v1/arenas/${id}/result`, { token, body: { match, winner }, ...call });
  }

  /** The arena as seen by a person, or by anyone. */
  async look(id: string, person?: string): Promise<Json> {
    const call = person === undefined ? {} : { token: tokenOf(person) };
    const answer = await this.client.get(`/api/v1/arenas/${id}`, call);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  matches(id: string, query = ""): Promise<Answer> {
    return this.client.get(`/api/v1/arenas/${id}/matches${query}`);
  }

  replay(id: string, match: string): Promise<Answer> {
    return this.client.get(`/api/v1/arenas/${id}/matches/${match}`);
  }

  /** Plays moves of tic-tac-toe or connect four for the player to move; returns the last response. */
  async play(id: string, moves: readonly string[]): Promise<Answer> {
    let answer: Answer | undefined;
    for (const move of moves) {
      const { players, match } = (await this.look(id)).state;
      const { person } = players.find(({ label }: Json) => label === match.toMove[0]);
      answer = await this.move(id, person.id, match.id, move, { turn: match.turn });
      assert.equal(answer.status, 200, answer.text);
    }
    return answer!;
  }

  /** The number of entries in the whole log. Every change makes it grow. */
  entries(): Promise<number> {
    return metric(this.client, "openseat_log_entries_total");
  }

  #post(path: string, person: string, call: Call): Promise<Answer> {
    return this.client.post(`/api/v1/arenas/${path}`, { token: tokenOf(person), ...call });
  }
}

/** Long timeouts, so that no test loses anything by its duration. */
export const patient = {
  reconnectGraceSeconds: 3_600,
  heartbeatTimeoutSeconds: 3_600,
  moveTimeoutSeconds: 7_200,
} as const;

/** In tic-tac-toe, the first player wins with these. */
export const quickWin = ["a1", "a2", "b1", "b2", "c1"] as const;
/** With these, nobody wins. */
export const draw = ["a1", "b1", "c1", "b2", "a2", "c2", "b3", "a3", "c3"] as const;

/** A game that is played elsewhere. */
export const elsewhere = { game: null } as const;

export const labelled = (players: readonly Json[]): Record<string, string> =>
  Object.fromEntries(players.map(({ label, person }) => [label, person.id]));

/** The state after all of these messages: each replaces what it may have changed. */
export function standing(feed: readonly Json[]): Json {
  return Object.assign({}, ...feed.map(({ state }) => state));
}
