import assert from "node:assert/strict";
import { type Answer, type Call, type Client, type Json, metric, until } from "../support/http.ts";
import { tokenOf } from "../support/tokens.ts";

interface Given {
  readonly client: Client;
  readonly operatorKey?: string;
  readonly serviceKey?: string;
}

type Scores = readonly [number, number];

/** Requests about ladders from people, services and operators, over HTTP. */
export class Club {
  readonly client: Client;
  readonly operatorKey: string;
  readonly serviceKey: string;

  constructor({ client, operatorKey = "", serviceKey = "" }: Given) {
    this.client = client;
    this.operatorKey = operatorKey;
    this.serviceKey = serviceKey;
  }

  create(fields: Json = {}, call: Call = {}): Promise<Answer> {
    const body = { title: "A ladder", ...fields };
    return this.client.post("/api/v1/ladders", { token: this.#makerOf(fields), body, ...call });
  }

  /** Persons do not choose ids (AU6). */
  #makerOf({ id }: Json): string {
    return id === undefined ? tokenOf("maker") : this.operatorKey;
  }

  /** Creates a ladder with these players; returns its id. */
  async newLadder(people: readonly string[] = [], fields: Json = {}): Promise<string> {
    const made = await this.create(fields);
    assert.equal(made.status, 201, made.text);
    const { id } = made.body.data.ladder;
    for (const userId of people) {
      const token = this.#makerOf(fields);
      const answer = await this.enrol(id, { userId, name: nameOf(userId) }, { token });
      assert.equal(answer.status, 200, answer.text);
    }
    return id;
  }

  change(id: string, body: Json, call: Call = {}): Promise<Answer> {
    return this.client.call(at(id), { method: "PATCH", token: tokenOf("maker"), body, ...call });
  }

  enrol(id: string, body: Json, call: Call = {}): Promise<Answer> {
    return this.client.post(at(id, "/players"), { token: tokenOf("maker"), body, ...call });
  }

  join(id: string, person: string, call: Call = {}): Promise<Answer> {
    return this.client.post(at(id, "/join"), { token: tokenOf(person, { name: nameOf(person) }), ...call });
  }

  leave(id: string, person: string, call: Call = {}): Promise<Answer> {
    return this.client.post(at(id, "/leave"), { token: tokenOf(person), ...call });
  }

  remove(id: string, person: string, call: Call = {}): Promise<Answer> {
    return this.client.post(at(id, `/players/${person}/leave`), { token: tokenOf("maker"), ...call });
  }

  /** By a service, or with another token if the call has one. */
  report(id: string, players: Json, scores: Json = [1, 0], call: Call = {}): Promise<Answer> {
    return this.client.post(at(id, "/matches"), {
      ...{ token: this.serviceKey, body: { players, scores } },
      ...call,
    });
  }

  /** Reports a match that counts; returns its number. */
  async counted(id: string, players: readonly [string, string], scores: Scores = [1, 0]): Promise<string> {
    const answer = await this.report(id, players, scores);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.data.match.status, "counted");
    return answer.body.data.match.id;
  }

  /** Reports a match that waits for confirmation by the second player; returns its number. */
  async reported(id: string, [first, second]: readonly [string, string]): Promise<string> {
    const answer = await this.report(id, [first, second], [1, 0], { token: tokenOf(first) });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.data.match.status, "pending");
    return answer.body.data.match.id;
  }

  settle(
    verb: "confirm" | "decline" | "void",
    id: string,
    match: string,
    person: string,
    call: Call = {},
  ): Promise<Answer> {
    return this.client.post(at(id, `/matches/${match}/${verb}`), { token: tokenOf(person), ...call });
  }

  void(id: string, match: string, call: Call = {}): Promise<Answer> {
    return this.client.post(at(id, `/matches/${match}/void`), { token: this.operatorKey, ...call });
  }

  get(id: string, path = "", call: Call = {}): Promise<Answer> {
    return this.client.get(at(id, path), call);
  }

  /** The data of a successful response. */
  async look(id: string, path = "", person?: string): Promise<Json> {
    const answer = await this.get(id, path, person === undefined ? {} : { token: tokenOf(person) });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  async player(id: string, person: string): Promise<Json> {
    return (await this.look(id, `/players/${person}`)).player;
  }

  /** All pages of the standings. */
  async standings(id: string, limit = 500): Promise<Json[]> {
    return this.#pages(id, "/standings", "players", limit);
  }

  /** All matches, newest first. */
  async matches(id: string, query = "", limit = 500): Promise<Json[]> {
    return this.#pages(id, `/matches${query}`, "matches", limit);
  }

  async history(id: string, person: string, limit = 500): Promise<Json[]> {
    return this.#pages(id, `/players/${person}/history`, "history", limit);
  }

  async #pages(id: string, path: string, name: string, limit: number): Promise<Json[]> {
    const all: Json[] = [];
    let cursor: string | null = null;
    do {
      const query = `limit=${limit}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page = await this.look(id, `${path}${path.includes("?") ? "&" : "?"}${query}`);
      assert.ok(page[name].length <= limit, "more than the page holds");
      all.push(...page[name]);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return all;
  }

  /** By an operator, or with another token if the call has one. */
  import(id: string, file: string | readonly unknown[], call: Call = {}): Promise<Answer> {
    const asked = typeof file === "string" ? asFile(file) : { body: { matches: file } };
    return this.client.post(at(id, "/imports"), { token: this.operatorKey, ...asked, ...call });
  }

  /** Imports a file completely; returns its final progress. */
  async imported(id: string, file: string | readonly unknown[]): Promise<Json> {
    const begun = await this.import(id, file);
    assert.equal(begun.status, 202, begun.text);
    return this.done(id, begun.body.data.import.id);
  }

  done(id: string, digest: string): Promise<Json> {
    return until("the end of the import", async () => {
      const { import: progress } = await this.look(id, `/imports/${digest}`);
      return progress.status === "done" && progress;
    });
  }

  async export(id: string, what: string, format: "csv" | "json", player?: string): Promise<string> {
    const whose = player === undefined ? "" : `&player=${player}`;
    const answer = await this.get(id, `/export?what=${what}&format=${format}${whose}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.text;
  }

  /** The number of entries in the whole log. Every change makes it grow. */
  entries(): Promise<number> {
    return metric(this.client, "openseat_log_entries_total");
  }
}

export const nameOf = (person: string) => person[0].toUpperCase() + person.slice(1);

const at = (id: string, rest = "") => `/api/v1/ladders/${id}${rest}`;

export function csv(text: string): Pick<Call, "rawBody" | "headers"> {
  return { rawBody: text, headers: { "content-type": "text/csv" } };
}

/** The published Elo formula, implemented separately: what the first player gains and the second loses. */
export function eloChange(ratings: Scores, [first, second]: Scores, k = 32): number {
  const score = first === second ? 0.5 : Number(first > second);
  return k * (score - 1 / (1 + 10 ** ((ratings[1] - ratings[0]) / 400)));
}

export function assertNear(actual: number, expected: number, what = ""): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${what} ${actual} is not ${expected}`);
}

/** As exported, in either format. */
function asFile(text: string): Call {
  if (!text.startsWith("[")) return csv(text);
  return { rawBody: text, headers: { "content-type": "application/json" } };
}
