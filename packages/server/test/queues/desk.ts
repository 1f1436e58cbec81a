import assert from "node:assert/strict";
import { type Answer, type Call, type Client, type Json, metric } from "../support/http.ts";
import type { TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

export const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Requests about waiting rooms from people, services and operators, over HTTP. */
export class Desk {
  readonly client: Client;
  readonly operatorKey: string;
  readonly serviceKey: string;

  constructor({ client, operatorKey, serviceKey }: TestServer) {
    this.client = client;
    this.operatorKey = operatorKey;
    this.serviceKey = serviceKey;
  }

  create(fields: Json = {}, key?: string): Promise<Answer> {
    const body = { title: "A queue", maxActive: 1, ...fields };
    return this.client.post("/api/v1/queues", { token: this.operatorKey, key, body });
  }

  /** Creates a waiting room; returns its id. */
  async newQueue(fields: Json = {}): Promise<string> {
    const answer = await this.create(fields);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.data.queue.id;
  }

  /** A full waiting room: a new person has to wait. */
  async fullQueue(fields: Json = {}): Promise<{ queue: string; insider: Json }> {
    const queue = await this.newQueue({ maxActive: 1, ...fields });
    const admitted = await this.entered(queue, "insider");
    assert.equal(admitted.status, "ADMITTED");
    return { queue, insider: await this.claimed(admitted.token, "insider") };
  }

  change(queue: string, body: Json, key?: string): Promise<Answer> {
    return this.client.call(`/api/v1/queues/${queue}`, {
      method: "PATCH",
      token: this.operatorKey,
      key,
      body,
    });
  }

  pause(queue: string, key?: string): Promise<Answer> {
    return this.client.post(`/api/v1/queues/${queue}/pause`, { token: this.operatorKey, key });
  }

  resume(queue: string, key?: string): Promise<Answer> {
    return this.client.post(`/api/v1/queues/${queue}/resume`, { token: this.operatorKey, key });
  }

  async look(queue: string): Promise<Json> {
    const answer = await this.client.get(`/api/v1/queues/${queue}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.queue;
  }

  async stats(queue: string): Promise<Json> {
    const answer = await this.client.get(`/api/v1/queues/${queue}/stats`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.stats;
  }

  /** The statistics that change only with events, without rates. */
  async lastingStats(queue: string): Promise<Json> {
    const { admissionsPerSecond: _, ...lasting } = await this.stats(queue);
    return lasting;
  }

  enter(queue: string, person: string, call: Call = {}): Promise<Answer> {
    return this.client.post(`/api/v1/queues/${queue}/positions`, { token: tokenOf(person), ...call });
  }

  /** The new place of a person without a place. */
  async entered(queue: string, person: string, call: Call = {}): Promise<Json> {
    const answer = await this.enter(queue, person, call);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.data.position;
  }

  /** Entered by a service or an operator. */
  enterFor(queue: string, body: Json, key?: string, token = this.serviceKey): Promise<Answer> {
    return this.client.post(`/api/v1/queues/${queue}/positions`, { token, key, body });
  }

  position(id: string, person: string): Promise<Answer> {
    return this.client.get(`/api/v1/positions/${id}`, { token: tokenOf(person) });
  }

  /** The place as shown to its person. */
  async shown(id: string, person: string): Promise<Json> {
    const answer = await this.position(id, person);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.position;
  }

  heartbeat(id: string, person: string): Promise<Answer> {
    return this.client.post(`/api/v1/positions/${id}/heartbeat`, { token: tokenOf(person) });
  }

  cancel(id: string, person: string, key?: string): Promise<Answer> {
    return this.client.call(`/api/v1/positions/${id}`, { method: "DELETE", token: tokenOf(person), key });
  }

  details(id: string, token: string): Promise<Answer> {
    return this.client.get(`/api/v1/positions/${id}/details`, { token });
  }

  claim(token: string, person: string, { key, queue }: { key?: string; queue?: string } = {}) {
    const body = { token, ...(queue !== undefined && { queue }) };
    return this.client.post("/api/v1/sessions", { token: tokenOf(person), key, body });
  }

  /** A new session. */
  async claimed(token: string, person: string): Promise<Json> {
    const answer = await this.claim(token, person);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.data.session;
  }

  sessionHeartbeat(id: string, person: string): Promise<Answer> {
    return this.client.post(`/api/v1/sessions/${id}/heartbeat`, { token: tokenOf(person) });
  }

  complete(id: string, token: string, key?: string): Promise<Answer> {
    return this.client.post(`/api/v1/sessions/${id}/complete`, { token, key });
  }

  terminate(id: string, token: string, key?: string): Promise<Answer> {
    return this.client.call(`/api/v1/sessions/${id}`, { method: "DELETE", token, key });
  }

  /** The number of entries in the whole log. Every change makes it grow. */
  entries(): Promise<number> {
    return metric(this.client, "openseat_log_entries_total");
  }
}
