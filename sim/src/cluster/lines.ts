import type { Millis } from "@openseat/kernel";
import { LogUnavailable, type StoreNetwork, type Timer } from "@openseat/server";
import type { FaultKind, Faults } from "../faults.ts";
import type { Life, World } from "../world.ts";

/** A message between a node and the store. */
interface Word {
  /** Whether its arrival makes an append durable. */
  readonly isCommit: boolean;
  arrive(): void;
  lose(): void;
}

/** The link between one node and the store. */
export interface Line {
  readonly life: Life;
  /** Nothing gets through before this time. */
  cutUntilMs: number;
  /** Number of breaks. Answers under way during a break are lost. */
  breaks: number;
  readonly underWay: Set<Word>;
}

const isAnnouncement = (what: string) => what === "announcement";
const isForNode = (what: string) => isAnnouncement(what) || /: its (tails|answer)$/.test(what);

/**
 * The links between the nodes and the store. Messages are delayed and may be lost. Messages to a frozen node wait.
 * Messages from a dead or disconnected node may still reach the store.
 */
export class Lines implements StoreNetwork {
  readonly #world: World;
  readonly #faults: Faults;
  readonly #lines = new Map<string, Line>();
  /**
   * Called when a node sends a heartbeat, when the store has taken one, and when the store has let a node go that
   * handed over all its presence data.
   */
  onHeartbeatSent: (name: string) => void = () => {};
  onHeartbeatTaken: (name: string) => void = () => {};
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
    if (what === "heartbeat") this.onHeartbeatSent(name);
    if (what === "heartbeat: its answer") this.onHeartbeatTaken(name);
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

  /** Breaks the link. Messages under way are lost, except those that still get through. */
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

  /** The node notices the break at some later time. */
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

/** The wall clock at the start of every world. */
export const epochMs = 1_750_000_000_000;

/** The store's clock, which no fault changes. */
export function storeTime({ elapsedMs }: World): Millis {
  return Math.floor(epochMs + elapsedMs) as Millis;
}
