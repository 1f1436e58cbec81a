import assert from "node:assert/strict";
import { type Answer, type Call, type Client, type Json, metric, until } from "../support/http.ts";
import { tokenOf } from "../support/tokens.ts";

interface Given {
  readonly client: Client;
  readonly operatorKey?: string;
  readonly serviceKey?: string;
}

/** The number of names issued so far. */
let people = 0;

/** The number of generated keys, for requests that need a key when a test gives none. */
let keys = 0;
const newKey = () => `key-${++keys}`;

/** Chat requests of people, services and operators, over HTTP. */
export class Talk {
  readonly client: Client;
  readonly operatorKey: string;
  readonly serviceKey: string;

  constructor({ client, operatorKey = "", serviceKey = "" }: Given) {
    this.client = client;
    this.operatorKey = operatorKey;
    this.serviceKey = serviceKey;
  }

  /** New ids, each with a nickname that is the id capitalised. */
  async named(...names: readonly string[]): Promise<string[]> {
    const ids = names.map((name) => `${name}${++people}`);
    for (const person of ids) {
      const answer = await this.takeName(person, nameOf(person));
      assert.equal(answer.status, 200, answer.text);
    }
    return ids;
  }

  takeName(person: string, nickname: string, call: Call = {}): Promise<Answer> {
    const asked = { method: "PUT", token: tokenOf(person), body: { nickname } };
    return this.client.call("/api/v1/people/me/nickname", { ...asked, ...call });
  }

  quit(person: string, call: Call = {}): Promise<Answer> {
    return this.client.post("/api/v1/people/me/quit", { token: tokenOf(person), ...call });
  }

  called(nickname: string): Promise<Answer> {
    return this.client.get(`/api/v1/people/called/${encodeURIComponent(nickname)}`);
  }

  /** Sends a message with these fields. */
  send(person: string, fields: Json, call: Call = {}): Promise<Answer> {
    const asked = { token: tokenOf(person), key: newKey(), body: fields };
    return this.client.post("/api/v1/chat/messages", { ...asked, ...call });
  }

  /** The reply to a message. */
  async say(person: string, text: string, messageId?: string): Promise<string> {
    const answer = await this.send(person, { text, ...(messageId !== undefined && { messageId }) });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(answer.body.data.reply.length > 0, "an empty reply");
    return answer.body.data.reply;
  }

  batch(messages: readonly Json[], call: Call = {}): Promise<Answer> {
    const asked = { token: this.serviceKey, body: { messages } };
    return this.client.post("/api/v1/chat/messages", { ...asked, ...call });
  }

  duel(person: string, opponent: string, fields: Json = {}, call: Call = {}): Promise<Answer> {
    const body = { opponent: nameOf(opponent), ...fields };
    return this.client.post("/api/v1/duels", { token: tokenOf(person), key: newKey(), body, ...call });
  }

  throw(person: string, duel: string, hand: string, fields: Json = {}, call: Call = {}): Promise<Answer> {
    const body = { throw: hand, ...fields };
    return this.client.post(`/api/v1/duels/${duel}/throw`, { token: tokenOf(person), body, ...call });
  }

  drop(person: string, duel: string, call: Call = {}): Promise<Answer> {
    return this.client.post(`/api/v1/duels/${duel}/drop`, { token: tokenOf(person), ...call });
  }

  /** Opens a duel with a throw; returns its id. */
  async opened(person: string, opponent: string, hand = "rock"): Promise<string> {
    return (await good(this.duel(person, opponent, { throw: hand }))).duel.id;
  }

  async duels(person: string): Promise<Json> {
    return good(this.client.get("/api/v1/duels", { token: tokenOf(person) }));
  }

  async seenDuel(person: string, duel: string): Promise<Json> {
    return (await good(this.client.get(`/api/v1/duels/${duel}`, { token: tokenOf(person) }))).duel;
  }

  async conversation(person: string): Promise<Json> {
    return good(this.client.get("/api/v1/conversations/me", { token: tokenOf(person) }));
  }

  /** The lines of a conversation as `you: …` and `openseat: …`, once one of them matches. */
  lines(person: string, words: RegExp = /(?:)/): Promise<string[]> {
    return until(`a line to ${person} that says ${words}`, async () => {
      const { lines } = await this.conversation(person);
      return (
        lines.some(({ text }: Json) => words.test(text)) &&
        lines.map(({ by, text }: Json) => `${by}: ${text}`)
      );
    });
  }

  /** The number of entries in the whole log. Every change makes it grow. */
  entries(): Promise<number> {
    return metric(this.client, "openseat_log_entries_total");
  }
}

export function nameOf(person: string): string {
  return person[0].toUpperCase() + person.slice(1);
}

/** The data of a successful response. */
export async function good(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}
