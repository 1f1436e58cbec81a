import assert from "node:assert/strict";
import { type Answer, type Call, type Json, range } from "../support/http.ts";
import { tokenOf } from "../support/tokens.ts";
import type { Cluster, Node } from "./cluster.ts";

/** People wait this long for one node and then ask another. */
const patienceMs = 1_500;
/** Some node always answers within this time. */
const answerMsMax = 60_000;

/** A request that may change something, with its own key and its outcome. */
export interface Act {
  readonly room: "game" | "queue";
  readonly kind: string;
  readonly person: string;
  readonly key: string;
  readonly path: string;
  readonly call: Call;
  readonly answer: Answer;
  readonly answeredAt: number;
  /** It was refused, but may still be under way to another node: only effective requests are remembered (ID4). */
  readonly isDoubtful: boolean;
}

/** A heartbeat that a node has confirmed. */
export interface Sign {
  readonly ticket: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

interface Asked {
  readonly answer: Answer;
  readonly node: Node;
  readonly sentAt: number;
  /** How often it was sent before without an answer. */
  readonly lost: number;
}

/** What a node has shown of the game. */
export interface Shown {
  readonly version: number;
  readonly seated: number;
}

/** A repeatable source of random numbers. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  of<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)];
  }
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * People with several nodes to choose from. Without an answer, or with a Retry-After, they ask another node with the same key.
 * After an answer, they check its effect on another node (CL1).
 */
export class People {
  readonly acts: Act[] = [];
  readonly signs: Sign[] = [];
  readonly shown: Shown[] = [];
  /** Lost answers, and refusals with a Retry-After. */
  lost = 0;
  refused = 0;
  /** No node is left to ask. */
  isOver = false;
  readonly #nodes: readonly Node[];
  readonly #chance: Chance;
  #keys = 0;

  constructor({ nodes }: Cluster, chance: Chance) {
    this.#nodes = nodes;
    this.#chance = chance;
  }

  /** Sends a request that changes something until some node has answered it. */
  async act(room: Act["room"], kind: string, person: string, path: string, given: Call = {}): Promise<Act> {
    const key = `key-${++this.#keys}`;
    const call = { method: "POST", ...given, token: tokenOf(person), key };
    const { answer, node, lost } = await this.ask(path, call);
    const isDoubtful = lost > 0 && answer.status >= 300;
    const act = { room, kind, person, key, path, call, answer, answeredAt: Date.now(), isDoubtful };
    this.acts.push(act);
    if (answer.status < 300 && this.#chance.next() < 0.1) await this.assertSame(act, node);
    return act;
  }

  /** ID1: every other node gives the same answer to the same key. */
  async assertSame({ path, call, key, answer }: Act, besides?: Node): Promise<void> {
    const { answer: again } = await this.ask(path, call, besides);
    assert.deepEqual([again.status, again.text], [answer.status, answer.text], `${key} ${path} again`);
    assert.equal(again.headers["idempotent-replayed"], "true", `${key} ${path} again: ${again.text}`);
  }

  /** Sends any request and returns the first answer and its node. `besides` is avoided if there is another node. */
  async ask(path: string, call: Call, besides?: Node): Promise<Asked> {
    const deadline = Date.now() + answerMsMax;
    let [last, lost] = [besides, 0];
    for (;;) {
      const node = this.#chance.of(this.#nodes.filter((each) => each !== last));
      last = node;
      const sentAt = Date.now();
      const answer = await node.client.call(path, { ...call, timeoutMs: patienceMs }).catch(() => undefined);
      if (answer && !isToComeBack(answer)) {
        assert.ok(answer.status < 500, `${call.method ?? "GET"} ${path}: ${answer.status} ${answer.text}`);
        return { answer, node, sentAt, lost };
      }
      if (answer) this.refused++;
      else {
        lost++;
        this.lost++;
      }
      assert.ok(!this.isOver, "the test is over");
      assert.ok(Date.now() < deadline, `nobody answers ${call.method ?? "GET"} ${path}: ${answer?.text}`);
      await pause(this.#chance.between(50, 250));
    }
  }

  /** Reads from any node. */
  async see(path: string, person: string): Promise<Answer> {
    return (await this.ask(path, { token: tokenOf(person) })).answer;
  }

  /** Sends a heartbeat for a place and returns how it is shown; undefined when it is over. */
  async heartbeat(id: string, person: string): Promise<Json | undefined> {
    const path = `/api/v1/positions/${id}/heartbeat`;
    const { answer, sentAt } = await this.ask(path, { method: "POST", token: tokenOf(person) });
    if (answer.status === 410) return undefined;
    assert.equal(answer.status, 200, answer.text);
    this.signs.push({ ticket: ticketIn(id), sentAt, answeredAt: Date.now() });
    return answer.body.data.position;
  }
}

/** CL4: refused quickly with a Retry-After and, as far as is known, without effect. */
function isToComeBack(answer: Answer): boolean {
  const { status, headers, text, body } = answer;
  if (status === 503)
    assert.match(String(headers["retry-after"]), /^\d+$/, `503 without Retry-After: ${text}`);
  return status === 503 || body?.retryable === true;
}

/** The id of a place consists of queue, ticket and a signature. */
function ticketIn(id: string): number {
  return Number.parseInt(/-([0-9a-z]+)-.{16}$/.exec(id)![1], 36);
}

export const names = (prefix: string, count: number) => range(count).map((index) => `${prefix}-${index}`);
