import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs, type Span } from "../measuring/timeline.ts";
import { ask, bearer } from "./http-ask.ts";
import type { Guest, Stage } from "./stage.ts";

/** Forty requests per second by forty people: one per person per second. */
const everyMs = 25;
/** A slow answer delays only one party: otherwise 30 ms per request would look like a stall of seconds. */
const parties = 10;
const deadlineMs = 10_000;

/** One polite request, from its due time to its answer. */
export type PoliteRequest = Span & {
  readonly what: string;
  /** Why it failed: an unexpected status, or no answer in time. Undefined on success. */
  readonly failure?: string;
};

/** Sends a request as a guest. Returns the data of the answer, or undefined if it failed. */
export type PoliteAsk = (
  guest: Guest,
  what: string,
  method: string,
  path: string,
  body?: object | string,
) => Promise<PoliteData | undefined>;
// biome-ignore lint/suspicious/noExplicitAny: the server's own tests check the answers of each route.
type PoliteData = Record<string, any>;

/** Extra requests of polite people during an attack: `peer` is a guest other than `guest`. */
export type AlsoPolite = (ask: PoliteAsk, guest: Guest, peer: Guest, round: number) => Promise<void>;

/**
 * People who use the server normally. Requests are due at fixed times and their latency counts from then, so that a
 * stalled server cannot hide its delay by slowing the client.
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

  /** Stops after the requests under way. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  async #goOn(number: number, startMs: number): Promise<void> {
    const { guests } = this.#stage;
    // Neighbours are each other's peers (0 and 1, 2 and 3), so they must be in the same party.
    const own = guests.filter((_, index) => (index >> 1) % parties === number);
    const party = new Party(startMs);
    const ask: PoliteAsk = (...question) => this.#ask(party, ...question);
    for (let index = 0; !this.#isOver; index++) {
      const guest = own[index % own.length];
      await this.#round(ask, guest);
      await this.#also?.(ask, guest, own[(index % own.length) ^ 1], this.#rounds++);
      // Every visitor opens a connection: a visitor who cannot connect is not served.
      party.reconnect();
    }
    party.leave();
  }

  /** Joins a game, enters a waiting room, opens its page, and leaves both. */
  async #round(ask: PoliteAsk, guest: Guest): Promise<void> {
    const { game, queue } = this.#stage;
    const can = await ask(guest, "can-join", "GET", `/api/v1/games/${game}/can-join`);
    // An unanswered join may have taken effect: the next round finds the seat and frees it.
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

/** A few people who send requests one after the other. */
class Party {
  agent = newConnection();
  #dueMs: number;

  constructor(startMs: number) {
    this.#dueMs = startMs;
  }

  /** Waits until the next request is due. Returns the time from which its latency counts. */
  async due(): Promise<number> {
    this.#dueMs += everyMs * parties;
    const earlyMs = this.#dueMs - nowMs();
    if (earlyMs > 0) await sleep(earlyMs);
    // A timer may fire slightly early.
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

/** Pages use a browser's cookie. */
function proofOf({ token }: Guest, path: string): Record<string, string> {
  return path.startsWith("/wait/") ? { cookie: `openseat_guest=${token}` } : bearer(token);
}

/** Each change has its own key, as in the client library. */
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
