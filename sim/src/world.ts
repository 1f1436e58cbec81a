import { createHash } from "node:crypto";
import type { Timer } from "@openseat/server";
import type { Random } from "./prng.ts";
import { StepQueue, type Timed } from "./step-queue.ts";

/** The order of steps of the same moment is the seed's choice, not that of the code. */
interface Step extends Timed {
  readonly label: string;
  readonly run: () => void;
  cancelled: boolean;
}

/**
 * Virtual time, and everything that is going to happen in it. One step at a time is taken, and everything that
 * follows from it without waiting is finished before the next: so a seed has one history, however often it is run.
 */
export class World {
  readonly random: Random;
  steps = 0;
  /** Since the beginning, by a clock that nobody can set. */
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

  /** Writes into the history of this world, which is what two runs of one seed are compared by. */
  note(text: string): void {
    const line = `${this.elapsedMs.toFixed(3).padStart(12)}  ${text}`;
    this.#history.update(`${line}\n`);
    this.#print?.(line);
  }

  halt(): void {
    this.#halted = true;
  }

  /** Goes on until `done` says so, or until it is halted. */
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

/** Immediates run when no promise has anything left to do. */
function everythingThatFollows(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * One run of a process, from its start to its end. After that, nothing that belongs to it happens any more; and nothing
 * while it is frozen, until it goes on.
 */
export class Life {
  readonly world: World;
  /** How often the log had gone back when it began. */
  readonly epoch: number;
  /** When something last came between it and the store. */
  disturbedAtMs: number;
  /** Resolves when it is over. */
  readonly ended: Promise<void>;
  readonly #end: () => void;
  #over = false;
  /** What waits until it goes on; undefined while it is not frozen. */
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

  /** What should have happened meanwhile happens now, in no order. */
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

  /** Now, or when it goes on. */
  when(run: () => void): void {
    if (this.#over) return;
    if (this.#waiting) this.#waiting.push(run);
    else run();
  }
}
