import type { GameCommand, GameEvent, GameRoom, gameDecider, Millis } from "@openseat/kernel";
import {
  type Clock,
  type Entry,
  Host,
  Hub,
  type Lens,
  type Log,
  type Streams,
  type Subscriber,
} from "@openseat/server";
import type { Faults } from "./faults.ts";
import type { Answer, Ask, Look, Request } from "./requests.ts";
import type { Scenario } from "./scenario.ts";
import { SimLog, type Witness } from "./sim-log.ts";
import { viewOfRoom } from "./view.ts";
import { Life, type World } from "./world.ts";

/** What a node is built of. The tests put a broken part in, to see that the checks notice. */
export interface Parts {
  /** The store that outlives every process. It may be told of crashes. */
  readonly store: Log & { crash?(): void };
  readonly decider: typeof gameDecider;
  /** Stands between the host and its connection to the store. */
  wire(log: Log, hub: Hub): Log;
  /** Tells the watchers what has become durable. */
  publish(hub: Hub, committed: Parameters<Hub["publish"]>[0]): void;
}

export interface Surroundings {
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly parts: Parts;
  readonly witness: Witness;
  /** A fault that no weather explains. */
  readonly onFault: (error: unknown) => void;
}

/** The wall clock at the beginning of every world. */
const epochMs = 1_750_000_000_000;

/** One run of the server, from its start to its crash or its clean stop. */
export class Process {
  readonly life: Life;
  readonly #log: SimLog;
  readonly #host: Host;
  readonly #hub: Hub;
  readonly #games: Streams<GameRoom, GameCommand, GameEvent>;
  /** Requests that it has taken and not yet answered. */
  unanswered = 0;

  constructor(surroundings: Surroundings, clockOf: (life: Life) => Clock) {
    const { world, scenario, faults, parts, witness, onFault } = surroundings;
    this.life = new Life(world);
    const clock = clockOf(this.life);
    this.#log = new SimLog(parts.store, this.life, faults, witness);
    this.#hub = new Hub(this.#log, clock);
    const { idleMs, residentStreamsMax, snapshotTailMin } = scenario;
    this.#host = new Host({
      log: parts.wire(this.#log, this.#hub),
      clock,
      deciders: { game: parts.decider },
      idleMs,
      residentStreamsMax,
      snapshotTailMin,
      onCommit: (committed) => parts.publish(this.#hub, committed),
      onDoubt: (stream) => this.#hub.catchUp(stream),
      onError: (error) => {
        if ((error as Error).name !== "LogUnavailable") onFault(error);
      },
    });
    this.#games = this.#host.streams("game");
    this.#host.start();
  }

  /** Never answers when the process dies first. */
  async answer(request: Request): Promise<Answer> {
    if (request.type === "list") return this.#list();
    this.unanswered++;
    const answer = await this.#answer(request);
    this.unanswered--;
    return answer;
  }

  /** Asked of the log itself: a clean stop may cut it off. */
  async #list(): Promise<Answer> {
    const games = await this.#games.list({ limit: 100 }).catch(() => undefined);
    return games ? { type: "listed", games } : { type: "refused", refusal: unreadable };
  }

  async #answer(request: Ask | Look): Promise<Answer> {
    const id = request.stream.slice("game/".length);
    if (request.type === "look") {
      const looked = await this.#games.read(id, (room, version) => ({
        version,
        view: room ? viewOfRoom(room, request.by) : null,
      }));
      return "refusal" in looked ? { type: "refused", ...looked } : { type: "seen", ...looked.value };
    }
    const { command, by, key } = request;
    const outcome = await this.#games.ask(id, { command, by, key });
    if ("refusal" in outcome) return { type: "refused", ...outcome };
    return { type: "done", entry: outcome.entry, terms: outcome.state.terms, replayed: outcome.replayed };
  }

  watch(id: string, subscriber: Subscriber, after: number | undefined): { close(): void } {
    const lens: Lens = {
      change: (entry) => ({ type: "change", version: entry.version, json: shownChange(entry) }),
      view: async () => {
        const looked = await this.#games.read(id, (room, version) => {
          const json = JSON.stringify(room ? viewOfRoom(room, nobody) : null);
          return { type: "view", version, json } as const;
        });
        return "refusal" in looked ? undefined : looked.value;
      },
    };
    return this.#hub.watch(`game/${id}`, lens, subscriber, after);
  }

  stop(): Promise<void> {
    return this.#host.stop();
  }

  crash(): void {
    this.life.end();
    this.#log.crash();
  }
}

/** Whoever watches sees the game with the eyes of someone who has no place in it. */
export const nobody = "nobody";

export function shownChange({ version, at, events }: Entry): string {
  return JSON.stringify({ version, at, events });
}

const unreadable = { code: "log.unavailable", message: "The list cannot be read.", retryable: true } as const;

/** A machine with a wall clock of its own, on which the server runs most of the time. */
export class Node {
  readonly name: string;
  readonly #surroundings: Surroundings;
  #clockErrorMs = 0;
  #process: Process | undefined;
  stopping = false;

  constructor(name: string, surroundings: Surroundings) {
    this.name = name;
    this.#surroundings = surroundings;
  }

  get process(): Process | undefined {
    return this.#process;
  }

  now(): Millis {
    return Math.floor(epochMs + this.#surroundings.world.elapsedMs + this.#clockErrorMs) as Millis;
  }

  setClock(byMs: number): void {
    this.#clockErrorMs += byMs;
  }

  start(): void {
    this.stopping = false;
    this.#process = new Process(this.#surroundings, (life) => ({
      now: () => this.now(),
      soon: (run) => void life.after(life.world.random.next() * 0.2, `${this.name} soon`, run),
      after: (ms, run) => life.after(ms, `${this.name} timer`, run),
    }));
  }

  crash(): void {
    if (!this.#process) return;
    this.#process.crash();
    this.#process = undefined;
    this.#surroundings.parts.store.crash?.();
  }

  /** Resolves with how many requests it left unanswered: none, if it keeps its word. It may die on the way. */
  async stop(): Promise<number> {
    const process = this.#process;
    if (!process) return 0;
    this.stopping = true;
    const died = process.life.ended.then(() => "died");
    if ((await Promise.race([process.stop(), died])) === "died") return 0;
    process.life.end();
    this.#process = undefined;
    return process.unanswered;
  }
}
