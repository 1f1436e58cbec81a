import type { GameRoom, gameDecider, Millis, QueueRoom, queueDecider, TicketNumber } from "@openseat/kernel";
import {
  type Clock,
  type Entry,
  Host,
  Hub,
  type Lens,
  type Log,
  type StreamName,
  type Streams,
  type Subscriber,
} from "@openseat/server";
import type { Faults } from "./faults.ts";
import { viewOfRoom } from "./game/view.ts";
import type { Judge } from "./judge.ts";
import type { SignsOfLife } from "./queue/signs-of-life.ts";
import { viewOfQueueRoom } from "./queue/view.ts";
import {
  type Answer,
  type Ask,
  type Command,
  type Event,
  idOf,
  type Kind,
  kindOf,
  type Look,
  type Request,
  ticketIn,
} from "./requests.ts";
import type { Scenario } from "./scenario.ts";
import { SimLog, type Witness } from "./sim-log.ts";
import type { Glance } from "./specification.ts";
import { Life, type World } from "./world.ts";

type Room = GameRoom | QueueRoom;
type Rooms = Streams<Room, Command, Event>;

/** What a node is built of. The tests put a broken part in, to see that the checks notice. */
export interface Parts {
  /** The store that outlives every process. It may be told of crashes. */
  readonly store: Log & { crash?(): void };
  readonly games: typeof gameDecider;
  readonly queues: typeof queueDecider;
  /** What a process takes time from. */
  clock(clock: Clock): Clock;
  /** Tells the host of a sign of life, and of one that goes on. */
  hear(queues: Rooms, id: string, ticket: TicketNumber): void;
  hold(queues: Rooms, id: string, ticket: TicketNumber): { release(): void };
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
  /** Undefined where several nodes run: each of them hears of some people only. */
  readonly signs: SignsOfLife | undefined;
  readonly judge: Judge;
}

/** The wall clock at the beginning of every world. */
const epochMs = 1_750_000_000_000;

/** One run of the server, from its start to its crash or its clean stop. */
export class Process {
  readonly life: Life;
  readonly #log: SimLog;
  readonly #host: Host;
  readonly #hub: Hub;
  readonly #rooms: Readonly<Record<Kind, Rooms>>;
  readonly #clock: Clock;
  readonly #parts: Parts;
  readonly #signs: SignsOfLife | undefined;
  readonly #judge: Judge;
  /** Requests that it has taken and not yet answered. */
  unanswered = 0;

  constructor(surroundings: Surroundings, clockOf: (life: Life) => Clock) {
    const { world, scenario, faults, parts, witness, signs, judge } = surroundings;
    this.life = new Life(world);
    this.#parts = parts;
    this.#signs = signs;
    this.#judge = judge;
    this.#clock = parts.clock(clockOf(this.life));
    this.#log = new SimLog(parts.store, this.life, faults, witness);
    this.#hub = new Hub(this.#log, this.#clock);
    const { idleMs, residentStreamsMax, snapshotTailMin } = scenario;
    this.#host = new Host({
      log: parts.wire(this.#log, this.#hub),
      clock: this.#clock,
      deciders: { game: parts.games, queue: parts.queues },
      idleMs,
      residentStreamsMax,
      snapshotTailMin,
      onCommit: (committed) => parts.publish(this.#hub, committed),
      onDoubt: (stream) => this.#hub.catchUp(stream),
      onError: (error) => {
        // A fault that no weather explains.
        if ((error as Error).name !== "LogUnavailable") judge.fail(error);
      },
    });
    this.#rooms = { game: this.#host.streams("game"), queue: this.#host.streams("queue") };
    signs?.started();
    this.#host.start();
  }

  /** Never answers when the process dies first. */
  async answer(request: Request): Promise<Answer> {
    if (request.type === "list") return this.#list(request.kind);
    const ticket = ticketIn(request);
    // As soon as it comes: see `Streams.heard`.
    if (ticket !== undefined) {
      this.#judge.check(() => this.#signs?.heard(request.stream, ticket));
      this.#parts.hear(this.#rooms.queue, idOf(request.stream), ticket as TicketNumber);
    }
    this.unanswered++;
    const answer = await this.#answer(request);
    this.unanswered--;
    return answer;
  }

  /** Asked of the log itself: a clean stop may cut it off. */
  async #list(kind: Kind): Promise<Answer> {
    const rooms = await this.#rooms[kind].list({ limit: 100 }).catch(() => undefined);
    return rooms ? { type: "listed", rooms } : { type: "refused", refusal: unreadable };
  }

  async #answer(request: Ask | Look): Promise<Answer> {
    const rooms = this.#rooms[kindOf(request.stream)];
    const id = idOf(request.stream);
    if (request.type === "look") {
      const look = (room: Room | undefined, version: number) => ({
        version,
        view: room ? this.#view(request.stream, room, request) : null,
      });
      const glimpsed = rooms.peek(id, look);
      if (glimpsed) return { type: "seen", ...glimpsed };
      const looked = await rooms.read(id, look);
      return "refusal" in looked ? { type: "refused", ...looked } : { type: "seen", ...looked.value };
    }
    const { command, by, key } = request;
    const outcome = await rooms.ask(id, { command, by, key });
    if ("refusal" in outcome) return { type: "refused", ...outcome };
    return { type: "done", entry: outcome.entry, terms: outcome.state.terms, replayed: outcome.replayed };
  }

  #view(stream: StreamName, room: Room, glance: Glance) {
    return kindOf(stream) === "game"
      ? viewOfRoom(room as GameRoom, glance)
      : viewOfQueueRoom(room as QueueRoom, glance, this.#clock.now());
  }

  /** A live connection of the one whose place it is: a sign of life for as long as it is open. */
  hold(stream: StreamName, ticket: number): { release(): void } {
    this.#judge.check(() => this.#signs?.held(stream, ticket));
    const hold = this.#parts.hold(this.#rooms.queue, idOf(stream), ticket as TicketNumber);
    return {
      release: () => {
        if (this.life.over) return;
        this.#signs?.released(stream, ticket);
        hold.release();
      },
    };
  }

  watch(stream: StreamName, subscriber: Subscriber, after: number | undefined): { close(): void } {
    const lens: Lens = {
      change: (entry) => ({ type: "change", version: entry.version, json: shownChange(entry) }),
      view: async () => {
        const looked = await this.#rooms[kindOf(stream)].read(idOf(stream), (room, version) => {
          const json = JSON.stringify(room ? this.#view(stream, room, { by: nobody }) : null);
          return { type: "view", version, json } as const;
        });
        return "refusal" in looked ? undefined : looked.value;
      },
    };
    return this.#hub.watch(stream, lens, subscriber, after);
  }

  stop(): Promise<void> {
    return this.#host.stop();
  }

  crash(): void {
    this.life.end();
    this.#log.crash();
  }
}

/** Whoever watches sees a room with the eyes of someone who has no place in it. */
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
      elapsed: () => life.world.elapsedMs,
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
