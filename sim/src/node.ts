import type { Millis } from "@openseat/kernel";
import { Process, type Surroundings } from "./process.ts";

/** The wall clock at the beginning of every world. */
const epochMs = 1_750_000_000_000;

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
