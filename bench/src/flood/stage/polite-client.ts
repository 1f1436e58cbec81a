import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs, type Span } from "../measuring/timeline.ts";
import { ask, bearer } from "./http-ask.ts";
import type { Guest, Stage } from "./stage.ts";

/** Forty requests per second by forty people: each person asks once a second. */
const everyMs = 25;
/** A slow answer delays only the people of one party: otherwise 30 ms per request would look like a stall of seconds. */
const parties = 10;
const deadlineMs = 10_000;

/** One request of the polite client, from when it was due to its answer. */
export type PoliteRequest = Span & {
  readonly what: string;
  /** Why it failed: another status than expected, or no answer in time. Absent when it went well. */
  readonly failure?: string;
};

/** Asks as a guest; gives the data of the answer, or undefined when it failed. */
export type PoliteAsk = (
  guest: Guest,
  what: string,
  method: string,
  path: string,
  body?: object | string,
) => Promise<PoliteData | undefined>;
// biome-ignore lint/suspicious/noExplicitAny: what each route answers is checked by the server's own tests.
type PoliteData = Record<string, any>;

/** What else polite people do while one attack is on: `peer` is another guest than `guest`. */
export type AlsoPolite = (ask: PoliteAsk, guest: Guest, peer: Guest, round: number) => Promise<void>;

/**
 * People who use the server as people do. Requests are due at fixed times and their latency counts from then, so that a server that
 * stalls cannot hide it by holding the client back.
 */
export class PoliteClient {
  readonly requests: PoliteRequest[] = [];
  readonly #stage: Stage;
  readonly #also: AlsoPolite | undefined;
  #rounds = 0;
  #isOver = false;
  readonly #done: Promise<unknown>;

  constructor(stage: Stage, also?: AlsoPolite) {
    this.#stage = stage;
    this.#also = also;
    const startMs = nowMs();
    this.#done = Promise.all(
      Array.from({ length: parties }, (_, number) => this.#goOn(number, startMs + number * everyMs)),
    );
  }

  /** Ends after the requests that are under way. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  async #goOn(number: number, startMs: number): Promise<void> {
    const { guests } = this.#stage;
    // Neighbours are each other's peers, 0 and 1, 2 and 3, so they belong to the same party.
    const own = guests.filter((_, index) => (index >> 1) % parties === number);
    const party = new Party(startMs);
    const ask: PoliteAsk = (...question) => this.#ask(party, ...question);
    for (let turn = 0; !this.#isOver; turn++) {
      const guest = own[turn % own.length];
      await this.#round(ask, guest);
      await this.#also?.(ask, guest, own[(turn % own.length) ^ 1], this.#rounds++);
      // Every visitor brings a connection: one who cannot connect is one who is not served.
      party.reconnect();
    }
    party.leave();
  }

  /** Joins a game, enters a waiting room, looks at its page, and leaves both. */
  async #round(ask: PoliteAsk, guest: Guest): Promise<void> {
    const { game, queue } = this.#stage;
    const can = await ask(guest, "can-join", "GET", `/api/v1/games/${game}/can-join`);
    // A join that was not answered may have been heard: the next round finds its seat, and gives it back.
    const isIn =
      can?.isParticipant ||
      (can?.canJoin && (await ask(guest, "join", "POST", `/api/v1/games/${game}/join`)));
    const entered = await ask(guest, "enter", "POST", `/api/v1/queues/${queue}/positions`);
    if (entered) await this.#wait(ask, guest, entered.position.id);
    if (isIn) await ask(guest, "leave", "POST", `/api/v1/games/${game}/leave`);
  }

  async #wait(ask: PoliteAsk, guest: Guest, position: string): Promise<void> {
    await ask(guest, "position", "GET", `/api/v1/positions/${position}`);
    await ask(guest, "page", "GET", `/wait/${this.#stage.queue}`);
    await ask(guest, "heartbeat", "POST", `/api/v1/positions/${position}/heartbeat`);
    await ask(guest, "give up", "DELETE", `/api/v1/positions/${position}`);
  }

  async #ask(
    party: Party,
    ...[guest, what, method, path, body]: Parameters<PoliteAsk>
  ): ReturnType<PoliteAsk> {
    if (this.#isOver) return undefined;
    const fromMs = await party.due();
    try {
      const headers = { ...proofOf(guest, path), ...keyFor(method), ...typeOf(body) };
      const text = typeof body === "object" ? JSON.stringify(body) : body;
      const question = { method, path, headers, ...(text !== undefined && { body: text }) };
      const terms = { agent: party.agent, deadlineMs };
      const reply = await ask(this.#stage.target, question, terms);
      const isGood = reply.status < 300;
      const failure = isGood ? {} : { failure: `${reply.status} ${reply.text.slice(0, 200)}` };
      this.requests.push({ what, fromMs, toMs: nowMs(), ...failure });
      return isGood ? (isJson(reply.text) ? JSON.parse(reply.text).data : {}) : undefined;
    } catch (error) {
      this.requests.push({ what, fromMs, toMs: nowMs(), failure: (error as Error).message });
      return undefined;
    }
  }
}

/** A few people who ask one after the other. */
class Party {
  agent = newConnection();
  #dueMs: number;

  constructor(startMs: number) {
    this.#dueMs = startMs;
  }

  /** Waits until the next request is due, and gives the time from which its latency counts. */
  async due(): Promise<number> {
    this.#dueMs += everyMs * parties;
    const earlyMs = this.#dueMs - nowMs();
    if (earlyMs > 0) await sleep(earlyMs);
    // A timer may fire a little early.
    return Math.min(this.#dueMs, nowMs());
  }

  reconnect(): void {
    this.leave();
    this.agent = newConnection();
  }

  leave(): void {
    this.agent.destroy();
  }
}

function newConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

/** Pages are for browsers, which have a cookie. */
function proofOf({ token }: Guest, path: string): Record<string, string> {
  return path.startsWith("/wait/") ? { cookie: `openseat_guest=${token}` } : bearer(token);
}

/** Each change has a key of its own, as the client library gives it. */
function keyFor(method: string): Record<string, string> {
  return method === "GET" ? {} : { "idempotency-key": randomUUID() };
}

function typeOf(body: object | string | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { "content-type": typeof body === "string" ? "text/csv" : "application/json" };
}

function isJson(text: string): boolean {
  return text.startsWith("{");
}
