import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Child, dropFolder, freePort, newFolder } from "./children.ts";
import { type Address, LoadError } from "./load.ts";
import { Crowd, issuer, type Person } from "./persons.ts";
import { raisedLimits } from "./raised-limits.ts";
import { calmArena, calmQueue } from "./room-settings.ts";

/** The server of this checkout. */
export const openseatProgram = fileURLToPath(new URL("../../packages/server/src/main.ts", import.meta.url));

const readyTimeoutMs = 60_000;
const readyPollMs = 5;
const roomsAtOnce = 50;
const seatsMax = 1_000_000;

/** Entries written so far, and the disk flushes that made them durable. */
export type LogCounters = { readonly flushes: number; readonly entries: number };

/** The statistics of a waiting room that the benchmark uses. */
export type QueueStats = {
  readonly waiting: number;
  readonly expired: number;
  readonly entered: number;
  readonly moved: number;
};

/** Settings shared by all nodes on one database. */
export type Shared = {
  readonly databaseUrl: string;
  readonly secret: string;
  readonly operatorKey: string;
};

/**
 * One Openseat on one data folder, or one of several on a database. The folder outlives the process, so that
 * restarts can be measured.
 */
export class Openseat {
  readonly folder = newFolder("openseat-bench-");
  /** The signing key of the crowd's tokens. */
  readonly secret: string;
  readonly operatorKey: string;
  readonly crowd: Crowd;
  readonly #program: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #databaseUrl: string | undefined;
  #child: Child | undefined;
  #port = 0;

  constructor(program: string, shared?: Shared, settings = raisedLimits(program)) {
    this.#program = program;
    this.#settings = settings;
    this.secret = shared?.secret ?? newSecret();
    this.operatorKey = shared?.operatorKey ?? newSecret();
    this.#databaseUrl = shared?.databaseUrl;
    this.crowd = new Crowd(this.secret);
  }

  get address(): Address {
    return { host: "127.0.0.1", port: this.#port };
  }

  get pid(): number {
    return (this.#child as Child).pid;
  }

  /** Starts the server on its folder. Returns the time until it was ready. */
  async start(): Promise<number> {
    this.#port = await freePort();
    const startedAt = performance.now();
    const env = {
      PORT: String(this.#port),
      HOST: "127.0.0.1",
      OPENSEAT_DATA: this.folder,
      OPENSEAT_OPERATOR_KEY: this.operatorKey,
      OPENSEAT_SERVICE_KEY: newSecret(),
      OPENSEAT_ISSUER: issuer,
      OPENSEAT_ISSUER_SECRET: this.secret,
      OPENSEAT_DEMO: "false",
      ...this.#settings,
      ...(this.#databaseUrl !== undefined && { DATABASE_URL: this.#databaseUrl }),
    };
    this.#child = new Child(this.#program, { env });
    while (!(await this.#isReady())) {
      const waitedMs = performance.now() - startedAt;
      if (this.#child.hasExited || waitedMs > readyTimeoutMs) {
        throw new LoadError("Openseat did not become ready.");
      }
      await sleep(readyPollMs);
    }
    return performance.now() - startedAt;
  }

  /** Its last output before it ended by itself; undefined while it runs. */
  get lastWords(): string | undefined {
    return this.#child?.hasExited ? this.#child.output : undefined;
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<{ readonly endedWell: boolean }> {
    await this.#child?.stop(signal);
    return { endedWell: this.#child?.endedWell === true };
  }

  async remove(): Promise<void> {
    await this.stop();
    dropFolder(this.folder);
  }

  async createGame(title: string, maxPlayers = seatsMax): Promise<string> {
    const { game } = await this.operate("POST", "/api/v1/games", { title, maxPlayers });
    return (game as { id: string }).id;
  }

  async createQueue(settings: object = calmQueue): Promise<string> {
    const { queue } = await this.operate("POST", "/api/v1/queues", settings);
    return (queue as { id: string }).id;
  }

  async changeQueue(id: string, settings: object): Promise<void> {
    await this.operate("PATCH", `/api/v1/queues/${id}`, settings);
  }

  async queueStats(id: string): Promise<QueueStats> {
    const { stats } = await this.operate("GET", `/api/v1/queues/${id}/stats`);
    return stats as QueueStats;
  }

  async createGames(count: number, maxPlayers = seatsMax): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const some = Array.from({ length: Math.min(roomsAtOnce, count - ids.length) }, (_, index) =>
        this.createGame(`Game ${ids.length + index + 1}`, maxPlayers),
      );
      ids.push(...(await Promise.all(some)));
    }
    return ids;
  }

  /** Arenas with long timeouts; every other one plays connect four. */
  async createArenas(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, index) => `arena-${String(index).padStart(6, "0")}`);
    for (let start = 0; start < count; start += roomsAtOnce) {
      const some = ids.slice(start, start + roomsAtOnce);
      await Promise.all(
        some.map((id, index) =>
          this.operate("POST", "/api/v1/arenas", {
            ...{ id, title: `Arena ${start + index + 1}`, ...calmArena },
            game: index % 2 === 0 ? "tic-tac-toe" : "connect-four",
          }),
        ),
      );
    }
    return ids;
  }

  /** Asks once whether a person could join. Returns the time until the answer. */
  async canJoinMs(game: string): Promise<number> {
    const { token } = this.crowd.next();
    const startedAt = performance.now();
    const response = await fetch(`${this.#origin}/api/v1/games/${game}/can-join`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    if (response.status !== 200) throw new LoadError(`can-join was answered ${response.status}: ${text}`);
    return performance.now() - startedAt;
  }

  /** Asks once for this person's position. Returns the time until the answer. */
  async positionMs(id: string, { token }: Person): Promise<number> {
    const startedAt = performance.now();
    const response = await fetch(`${this.#origin}/api/v1/positions/${id}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    if (response.status !== 200) throw new LoadError(`A position was answered ${response.status}: ${text}`);
    return performance.now() - startedAt;
  }

  async logCounters(): Promise<LogCounters> {
    const text = await this.#metrics();
    return {
      flushes: counter(text, "openseat_log_flushes_total"),
      entries: counter(text, "openseat_log_entries_total"),
    };
  }

  /** Answers of the fast path so far; all others come from Fastify. */
  async fastAnswers(): Promise<number> {
    return counter(await this.#metrics(), "openseat_fast_path_answers_total");
  }

  async #metrics(): Promise<string> {
    const response = await fetch(`${this.#origin}/metrics`, {
      headers: { authorization: `Bearer ${this.operatorKey}` },
    });
    return response.text();
  }

  get #origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Sends an operator's request and returns the data of the answer. */
  async operate(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(this.#origin + path, {
      method,
      headers: { authorization: `Bearer ${this.operatorKey}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new LoadError(`${method} ${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text).data;
  }

  async #isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.#origin}/readyz`);
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false;
    }
  }
}

export function newSecret(): string {
  return randomBytes(32).toString("hex");
}

/** The sum of a Prometheus counter over its labels; NaN if it does not exist. */
function counter(text: string, name: string): number {
  const samples = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "gm"))];
  return samples.length === 0 ? Number.NaN : samples.reduce((sum, sample) => sum + Number(sample[1]), 0);
}
