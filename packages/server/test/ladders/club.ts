import assert from "node:assert/strict";
import { type Answer, type Call, type Client, type Json, metric, until } from "../support/http.ts";
import { tokenOf } from "../support/tokens.ts";

interface Given {
  readonly client: Client;
  readonly operatorKey?: string;
  readonly serviceKey?: string;
}

type Scores = readonly [number, number];

/** What people, services and operators ask of ladders, over HTTP. */
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

  /** A ladder that is there, with these players; its id. */
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

  /** By a service, unless somebody's token is given. */
  report(id: string, players: Json, scores: Json = [1, 0], call: Call = {}): Promise<Answer> {
    return this.client.post(at(id, "/matches"), {
      ...{ token: this.serviceKey, body: { players, scores } },
      ...call,
    });
  }

  /** A match that counts; its number. */
  async counted(id: string, players: readonly [string, string], scores: Scores = [1, 0]): Promise<string> {
    const answer = await this.report(id, players, scores);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.data.match.status, "counted");
    return answer.body.data.match.id;
  }

  /** A match that waits for the second to confirm it; its number. */
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

  /** What a good question is answered. */
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

  /** All matches, the newest first. */
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

  /** By an operator, unless somebody's token is given. */
  import(id: string, file: string | readonly unknown[], call: Call = {}): Promise<Answer> {
    const asked = typeof file === "string" ? asFile(file) : { body: { matches: file } };
    return this.client.post(at(id, "/imports"), { token: this.operatorKey, ...asked, ...call });
  }

  /** An import that is done; what is told of it. */
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

  /** How many entries there are in the whole log: whatever changes something makes it grow. */
  entries(): Promise<number> {
    return metric(this.client, "openseat_log_entries_total");
  }
}

export const nameOf = (person: string) => person[0].toUpperCase() + person.slice(1);

const at = (id: string, rest = "") => `/api/v1/ladders/${id}${rest}`;

export function csv(text: string): Pick<Call, "rawBody" | "headers"> {
  return { rawBody: text, headers: { "content-type": "text/csv" } };
}

/** Elo as it is published, written anew: what the first gains, and the second loses. */
export function eloChange(ratings: Scores, [first, second]: Scores, k = 32): number {
  const score = first === second ? 0.5 : Number(first > second);
  return k * (score - 1 / (1 + 10 ** ((ratings[1] - ratings[0]) / 400)));
}

export function assertNear(actual: number, expected: number, what = ""): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${what} ${actual} is not ${expected}`);
}

/** As it was exported, in whichever format. */
function asFile(text: string): Call {
  if (!text.startsWith("[")) return csv(text);
  return { rawBody: text, headers: { "content-type": "application/json" } };
}
