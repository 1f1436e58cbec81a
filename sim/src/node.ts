import type { Millis } from "@openseat/kernel";
import { type Clock, SteadyTime } from "@openseat/server";
import { epochMs } from "./cluster/lines.ts";
import { Process, type Surroundings } from "./process.ts";
import type { Life } from "./world.ts";

/** A machine with its own wall clock, which usually runs the server. */
export class Node {
  readonly name: string;
  readonly #surroundings: Surroundings;
  #clockErrorMs = 0;
  #process: Process | undefined;
  /** The process name, unique on its store, even across restarts. */
  #runName = "";
  #runs = 0;
  stopping = false;
  /** The node never restarts. */
  isGivenUp = false;

  constructor(name: string, surroundings: Surroundings) {
    this.name = name;
    this.#surroundings = surroundings;
  }

  get process(): Process | undefined {
    return this.#process;
  }

  /** The process that takes requests. */
  get open(): Process | undefined {
    return this.#process?.isOpen ? this.#process : undefined;
  }

  get runName(): string {
    return this.#runName;
  }

  /** The process's idea of the time; undefined before it knows it. */
  clock(): Millis | undefined {
    return this.#surroundings.cluster ? this.open?.now() : this.now();
  }

  /** The time on its wall clock. */
  now(): Millis {
    return Math.floor(epochMs + this.#surroundings.world.elapsedMs + this.#clockErrorMs) as Millis;
  }

  setClock(byMs: number): void {
    this.#clockErrorMs += byMs;
  }

  start(): void {
    this.stopping = false;
    this.#runName = `${this.name}.${++this.#runs}`;
    this.#process = new Process(this.#runName, this.#surroundings, (life) => this.#clockOf(life));
  }

  #clockOf(life: Life): Clock {
    const { world, cluster } = this.#surroundings;
    const time = new SteadyTime(
      () => this.now(),
      () => world.elapsedMs,
    );
    const steps = {
      wall: () => this.now(),
      elapsed: () => world.elapsedMs,
      soon: (run: () => void) => void life.after(world.random.next() * 0.2, `${this.name} soon`, run),
      after: (ms: number, run: () => void) => life.after(ms, `${this.name} timer`, run),
    };
    // A standalone node uses its wall clock, whatever that is set to; nodes of a cluster use the store's clock,
    // like a real server.
    if (!cluster) return { ...steps, now: () => this.now() };
    return {
      ...steps,
      now: () => time.now(),
      reach: (at) => time.reach(at),
      follow: (at) => time.follow(at),
    };
  }

  crash(): void {
    if (!this.#process) return;
    this.#process.crash();
    this.#process = undefined;
    this.#surroundings.cluster?.crash(this.#runName);
    this.#surroundings.parts.store.crash?.();
  }

  /** Resolves with the number of unanswered requests, which must be 0. The process may die during the stop. */
  async stop(): Promise<number> {
    const process = this.#process;
    if (!process) return 0;
    this.stopping = true;
    const died = process.life.ended.then(() => "died");
    if ((await Promise.race([process.stop(), died])) === "died") return 0;
    process.life.end();
    this.#surroundings.presence?.ended(process.life);
    this.#surroundings.cluster?.crash(this.#runName);
    this.#process = undefined;
    return process.unanswered;
  }
}
