import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs, type Span } from "../measuring/timeline.ts";
import { ask, bearer } from "./http-ask.ts";
import type { Guest, Stage } from "./stage.ts";

/** Forty requests per second by forty people: each person asks once a second. */
const everyMs = 25;
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
 * People who use the server as people do, one request at a time. Requests are due at fixed times and their latency counts from then,
 * so that a server that stalls cannot hide it by holding the client back.
 */
export class PoliteClient {
  readonly requests: PoliteRequest[] = [];
  readonly #stage: Stage;
  readonly #also: AlsoPolite | undefined;
  #agent = newConnection();
  #dueMs = nowMs();
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(stage: Stage, also?: AlsoPolite) {
    this.#stage = stage;
    this.#also = also;
    this.#done = this.#goOn();
  }

  /** Ends after the request that is under way. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  async #goOn(): Promise<void> {
    const { guests } = this.#stage;
    for (let round = 0; !this.#isOver; round++) {
      const guest = guests[round % guests.length];
      await this.#round(guest);
      // Neighbours are each other's peers: 0 and 1, 2 and 3.
      await this.#also?.(this.#ask, guest, guests[(round % guests.length) ^ 1], round);
      // Every visitor brings a connection: one who cannot connect is one who is not served.
      this.#agent.destroy();
      this.#agent = newConnection();
    }
    this.#agent.destroy();
  }

  /** Joins a game, enters a waiting room, looks at its page, and leaves both. */
  async #round(guest: Guest): Promise<void> {
    const { game, queue } = this.#stage;
    const ask = this.#ask;
    const can = await ask(guest, "can-join", "GET", `/api/v1/games/${game}/can-join`);
    // A join that was not answered may have been heard: the next round finds its seat, and gives it back.
    const isIn =
      can?.isParticipant ||
      (can?.canJoin && (await ask(guest, "join", "POST", `/api/v1/games/${game}/join`)));
    const entered = await ask(guest, "enter", "POST", `/api/v1/queues/${queue}/positions`);
    if (entered) await this.#wait(guest, entered.position.id);
    if (isIn) await ask(guest, "leave", "POST", `/api/v1/games/${game}/leave`);
  }

  async #wait(guest: Guest, position: string): Promise<void> {
    const ask = this.#ask;
    await ask(guest, "position", "GET", `/api/v1/positions/${position}`);
    await ask(guest, "page", "GET", `/wait/${this.#stage.queue}`);
    await ask(guest, "heartbeat", "POST", `/api/v1/positions/${position}/heartbeat`);
    await ask(guest, "give up", "DELETE", `/api/v1/positions/${position}`);
  }

  readonly #ask: PoliteAsk = async (guest, what, method, path, body) => {
    if (this.#isOver) return undefined;
    this.#dueMs += everyMs;
    const earlyMs = this.#dueMs - nowMs();
    if (earlyMs > 0) await sleep(earlyMs);
    // A timer may fire a little early.
    const fromMs = Math.min(this.#dueMs, nowMs());
    try {
      const headers = { ...proofOf(guest, path), ...typeOf(body) };
      const text = typeof body === "object" ? JSON.stringify(body) : body;
      const question = { method, path, headers, ...(text !== undefined && { body: text }) };
      const terms = { agent: this.#agent, deadlineMs };
      const reply = await ask(this.#stage.target, question, terms);
      const isGood = reply.status < 300;
      const failure = isGood ? {} : { failure: `${reply.status} ${reply.text.slice(0, 200)}` };
      this.requests.push({ what, fromMs, toMs: nowMs(), ...failure });
      return isGood ? (isJson(reply.text) ? JSON.parse(reply.text).data : {}) : undefined;
    } catch (error) {
      this.requests.push({ what, fromMs, toMs: nowMs(), failure: (error as Error).message });
      return undefined;
    }
  };
}

function newConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

/** Pages are for browsers, which have a cookie. */
function proofOf({ token }: Guest, path: string): Record<string, string> {
  return path.startsWith("/wait/") ? { cookie: `openseat_guest=${token}` } : bearer(token);
}

function typeOf(body: object | string | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { "content-type": typeof body === "string" ? "text/csv" : "application/json" };
}

function isJson(text: string): boolean {
  return text.startsWith("{");
}
