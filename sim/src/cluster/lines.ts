import type { Millis } from "@openseat/kernel";
import { LogUnavailable, type StoreNetwork, type Timer } from "@openseat/server";
import type { FaultKind, Faults } from "../faults.ts";
import type { Life, World } from "../world.ts";

/** A word on its way between a node and the store. */
interface Word {
  /** Whether it makes something durable once it is there. */
  readonly isCommit: boolean;
  arrive(): void;
  lose(): void;
}

/** What connects one node with the store. */
export interface Line {
  readonly life: Life;
  /** Until then nothing gets through. */
  cutUntilMs: number;
  /** How often it broke: no answer that was under way then arrives. */
  breaks: number;
  readonly underWay: Set<Word>;
}

const isAnnouncement = (what: string) => what === "announcement";
const isForNode = (what: string) => isAnnouncement(what) || /: its (tails|answer)$/.test(what);

/**
 * The lines between the nodes and the store. Words take their time and may be lost; what is for a node that is frozen waits
 * until it goes on; and of one that has died, or is cut off, what was on its way to the store may still have arrived.
 */
export class Lines implements StoreNetwork {
  readonly #world: World;
  readonly #faults: Faults;
  readonly #lines = new Map<string, Line>();
  /** A node sends a beat; the store has just taken one; and it has just let a node go that has told all it had heard. */
  onBeating: (name: string) => void = () => {};
  onBeaten: (name: string) => void = () => {};
  onLeft: (name: string) => void = () => {};

  constructor(world: World, faults: Faults) {
    this.#world = world;
    this.#faults = faults;
  }

  now(): Millis {
    return storeTime(this.#world);
  }

  after(ms: number, run: () => void): Timer {
    return this.#world.after(ms, "the store's patience", run);
  }

  lay(name: string, life: Life): Line {
    const line: Line = { life, cutUntilMs: 0, breaks: 0, underWay: new Set() };
    this.#lines.set(name, line);
    return line;
  }

  pass(name: string, what: string): Promise<void> {
    if (what === "beat") this.onBeating(name);
    if (what === "beat: its answer") this.onBeaten(name);
    if (what === "leave: its answer") this.onLeft(name);
    const line = this.#lines.get(name)!;
    const isLost = this.#isLost(line, what);
    return new Promise((resolve, reject) => {
      const word: Word = {
        isCommit: what.endsWith(": its commit"),
        arrive: () => {
          line.underWay.delete(word);
          resolve();
        },
        lose: () => {
          line.underWay.delete(word);
          this.#notice(line, what, reject);
        },
      };
      line.underWay.add(word);
      const arrive = () => {
        if (line.underWay.has(word)) (isLost ? word.lose : word.arrive)();
      };
      const label = `${name}: ${what}`;
      if (isForNode(what)) line.life.after(this.#journeyMs(line), label, arrive);
      else this.#world.after(this.#journeyMs(line), label, arrive);
    });
  }

  /** A line breaks: what is under way on it is lost, but for what gets there all the same. */
  break(line: Line): void {
    line.breaks++;
    for (const word of line.underWay) {
      if (word.isCommit && this.#world.random.chance(0.5)) word.arrive();
      else word.lose();
    }
  }

  #isLost(line: Line, what: string): boolean {
    if (isCut(line)) return true;
    const kind: FaultKind = isAnnouncement(what) ? "lostHint" : "lostWord";
    const isLost = this.#faults.strikes(kind);
    if (isLost && kind === "lostWord") line.life.disturbedAtMs = this.#world.elapsedMs;
    return isLost;
  }

  /** The node finds out, sooner or later. */
  #notice({ life }: Line, what: string, reject: (error: Error) => void): void {
    const afterMs = this.#world.random.next() * (this.#world.random.chance(0.1) ? 300 : 5);
    life.after(afterMs, `${what} is lost`, () => reject(new LogUnavailable(`Simulated: ${what} is lost.`)));
  }

  #journeyMs({ life }: Line): number {
    const { random } = this.#world;
    if (!this.#faults.strikes("slowLog")) return random.next() * 3;
    life.disturbedAtMs = this.#world.elapsedMs;
    return random.between(50, 800);
  }
}

export function isCut({ life, cutUntilMs }: Line): boolean {
  return life.world.elapsedMs < cutUntilMs;
}

/** The wall clock at the beginning of every world. */
export const epochMs = 1_750_000_000_000;

/** By the clock of the store, which nobody sets. */
export function storeTime({ elapsedMs }: World): Millis {
  return Math.floor(epochMs + elapsedMs) as Millis;
}
