import { createHash } from "node:crypto";
import type { Timer } from "@openseat/server";
import type { Random } from "./prng.ts";
import { StepQueue, type Timed } from "./step-queue.ts";

/** The seed decides the order of steps at the same moment, not the code. */
interface Step extends Timed {
  readonly label: string;
  readonly run: () => void;
  cancelled: boolean;
}

/**
 * Virtual time and all future steps. It takes one step at a time and completes everything that follows without
 * waiting, so a seed always gives the same history.
 */
export class World {
  readonly random: Random;
  steps = 0;
  /** Time since the start, by a clock that no fault changes. */
  elapsedMs = 0;
  #halted = false;
  readonly #queue = new StepQueue<Step>();
  readonly #history = createHash("sha256");
  readonly #print: ((line: string) => void) | undefined;

  constructor(random: Random, print?: (line: string) => void) {
    this.random = random;
    this.#print = print;
  }

  after(delayMs: number, label: string, run: () => void): Timer {
    const at = this.elapsedMs + Math.max(0, delayMs);
    const step: Step = { at, order: this.random.next(), label, run, cancelled: false };
    this.#queue.push(step);
    return {
      cancel: () => {
        step.cancelled = true;
      },
    };
  }

  pause(delayMs: number, label: string): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, label, resolve));
  }

  /** Writes to the world's history, which is used to compare two runs of a seed. */
  note(text: string): void {
    const line = `${this.elapsedMs.toFixed(3).padStart(12)}  ${text}`;
    this.#history.update(`${line}\n`);
    this.#print?.(line);
  }

  halt(): void {
    this.#halted = true;
  }

  /** Runs until `done` returns true or the world is halted. */
  async run(done: () => boolean): Promise<void> {
    while (!this.#halted && !done()) {
      const step = this.#queue.pop();
      if (!step) return;
      if (step.cancelled) continue;
      this.elapsedMs = step.at;
      this.steps++;
      this.note(step.label);
      step.run();
      await everythingThatFollows();
    }
  }

  historyHash(): string {
    return this.#history.copy().digest("hex");
  }
}

/** Immediates run after all pending promise callbacks. */
function everythingThatFollows(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** One run of a process. After its end, none of its callbacks run; while it is frozen, they wait. */
export class Life {
  readonly world: World;
  /** How often the log had gone back when it started. */
  readonly epoch: number;
  /** The last fault between it and the store. */
  disturbedAtMs: number;
  /** Resolves when the run is over. */
  readonly ended: Promise<void>;
  readonly #end: () => void;
  #over = false;
  /** Callbacks that wait for the end of a freeze; undefined otherwise. */
  #waiting: (() => void)[] | undefined;

  constructor(world: World, epoch = 0) {
    this.world = world;
    this.epoch = epoch;
    this.disturbedAtMs = world.elapsedMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
  }

  get over(): boolean {
    return this.#over;
  }

  end(): void {
    this.#over = true;
    this.#end();
  }

  get isFrozen(): boolean {
    return this.#waiting !== undefined;
  }

  freeze(): void {
    this.#waiting ??= [];
  }

  /** Runs the waiting callbacks now, in random order. */
  thaw(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.disturbedAtMs = this.world.elapsedMs;
    for (const run of waiting) this.after(this.world.random.next(), "late", run);
  }

  after(delayMs: number, label: string, run: () => void): Timer {
    let isCancelled = false;
    const timer = this.world.after(delayMs, label, () =>
      this.when(() => {
        if (!isCancelled) run();
      }),
    );
    return {
      cancel() {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  /** Runs now, or after the freeze. */
  when(run: () => void): void {
    if (this.#over) return;
    if (this.#waiting) this.#waiting.push(run);
    else run();
  }
}
