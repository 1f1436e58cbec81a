import { RuleBroken } from "../rule.ts";
import { type AnySmallWorld, epoch } from "./small-world.ts";
import { type Figures, type Moment, nothing, Stage } from "./stage.ts";
import { type Step, stepsAt } from "./steps.ts";

export interface Exploration extends Readonly<Figures> {
  /** The number of states by the smallest number of steps that reaches them. */
  readonly statesByDepth: readonly number[];
  readonly states: number;
  /** Steps taken, including those that led to a known state. */
  readonly steps: number;
  /** False when it stopped at the maximum number of states. */
  readonly isComplete: boolean;
  readonly broken: BrokenRule | undefined;
}

export interface BrokenRule {
  readonly rule: string;
  readonly sentence: string;
  /** The shortest path to the failure. */
  readonly history: readonly string[];
}

interface Bounds {
  /** Steps after the room was created. */
  readonly depth: number;
  /** The limit that keeps the states within memory. */
  readonly statesMax?: number;
}

/** A moment, and a shortest path to it. */
interface Reached {
  readonly moment: Moment;
  readonly words: string;
  readonly parent: Reached | undefined;
}

/**
 * Breadth-first search over all steps, so the history of the first broken rule is a shortest one. Known states are
 * not explored again.
 */
export function explore(world: AnySmallWorld, { depth, statesMax = 3_000_000 }: Bounds): Exploration {
  return new Explorer(world).run(depth, statesMax);
}

class Explorer {
  readonly #world: AnySmallWorld;
  readonly #figures: Figures = { entries: 0, refusals: 0 };
  readonly #seen = new Set<string>();
  readonly #statesByDepth: number[] = [];
  #steps = 0;
  /** The current step, and its starting state. */
  #parent: Reached | undefined;
  #words = "";

  constructor(world: AnySmallWorld) {
    this.#world = world;
  }

  run(depth: number, statesMax: number): Exploration {
    try {
      return this.#result({ isComplete: this.#runAll(depth, statesMax) });
    } catch (error) {
      // A kernel assert names no rule. It means that the entries cannot be replayed.
      const rule = error instanceof RuleBroken ? error.rule : "LG5";
      const sentence = error instanceof RuleBroken ? error.message : String(error);
      return this.#result({ broken: { rule, sentence, history: historyOf(this.#parent, this.#words) } });
    }
  }

  #runAll(depth: number, statesMax: number): boolean {
    let frontier = this.#begin();
    for (let taken = 1; taken <= depth; taken++) {
      const next: Reached[] = [];
      const before = this.#seen.size;
      for (const parent of frontier) {
        // States found by the last step are counted but not explored.
        this.#expand(parent, taken < depth ? next : undefined);
        if (this.#seen.size > statesMax) return false;
      }
      this.#statesByDepth.push(this.#seen.size - before);
      frontier = next;
    }
    return true;
  }

  #begin(): Reached[] {
    const { by, command } = this.#world.create;
    const found: Reached[] = [];
    const words = `${by} asks ${JSON.stringify(command)}`;
    const play = (stage: Stage) => stage.ask(this.#world.create);
    this.#take({ words, play }, new Stage(this.#world, nothing, this.#figures), found);
    this.#statesByDepth.push(found.length);
    return found;
  }

  #expand(parent: Reached, found: Reached[] | undefined): void {
    this.#parent = parent;
    this.#words = "the server crashes";
    const stage = new Stage(this.#world, parent.moment, this.#figures);
    for (const step of stepsAt(this.#world, stage)) this.#take(step, stage, found);
  }

  #take({ words, play }: Step, stage: Stage, found: Reached[] | undefined): void {
    this.#steps++;
    this.#words = words;
    const moment = stage.play(play);
    const { key } = stage;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    found?.push({ moment, words, parent: this.#parent });
  }

  #result(rest: Partial<Exploration>): Exploration {
    const counts = { statesByDepth: this.#statesByDepth, states: this.#seen.size, steps: this.#steps };
    return { ...counts, ...this.#figures, isComplete: false, broken: undefined, ...rest };
  }
}

/** The path step by step, with the time since the start and what was written. */
function historyOf(parent: Reached | undefined, words: string): string[] {
  const lines = [words];
  for (let reached = parent; reached; reached = reached.parent) {
    const { now, entries } = reached.moment;
    const written = entries.slice(reached.parent?.moment.entries.length ?? 0);
    const events = written.flatMap((entry) => entry.events.map(({ type }: { type: string }) => type));
    lines.unshift(`${reached.words} → ${events.join(", ") || "nothing"} (at ${now - epoch} ms)`);
  }
  return lines;
}
