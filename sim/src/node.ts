import type { Millis } from "@openseat/kernel";
import { type Clock, SteadyTime } from "@openseat/server";
import { epochMs } from "./cluster/lines.ts";
import { Process, type Surroundings } from "./process.ts";
import type { Life } from "./world.ts";

/** A machine with a wall clock of its own, on which the server runs most of the time. */
export class Node {
  readonly name: string;
  readonly #surroundings: Surroundings;
  #clockErrorMs = 0;
  #process: Process | undefined;
  /** The name of the process among those on one store: no other ever has it, not even the next one here. */
  #runName = "";
  #runs = 0;
  stopping = false;
  /** It does not come back. */
  isGivenUp = false;

  constructor(name: string, surroundings: Surroundings) {
    this.name = name;
    this.#surroundings = surroundings;
  }

  get process(): Process | undefined {
    return this.#process;
  }

  /** Whom a request finds here. */
  get open(): Process | undefined {
    return this.#process?.isOpen ? this.#process : undefined;
  }

  get runName(): string {
    return this.#runName;
  }

  /** What its process takes for the time; undefined while that is not known. */
  clock(): Millis | undefined {
    return this.#surroundings.cluster ? this.open?.now() : this.now();
  }

  /** By the clock on its wall. */
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
    // Alone, it goes by the wall, wherever its clock is set to; among others, by the clock of the store, as a server does.
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

  /** Resolves with how many requests it left unanswered: none, if it keeps its word. It may die on the way. */
  async stop(): Promise<number> {
    const process = this.#process;
    if (!process) return 0;
    this.stopping = true;
    const died = process.life.ended.then(() => "died");
    if ((await Promise.race([process.stop(), died])) === "died") return 0;
    process.life.end();
    this.#surroundings.signs?.ended(process.life);
    this.#surroundings.cluster?.crash(this.#runName);
    this.#process = undefined;
    return process.unanswered;
  }
}
