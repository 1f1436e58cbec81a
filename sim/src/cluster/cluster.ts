import type { Log } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Parts } from "../parts.ts";
import type { Witness } from "../sim-log.ts";
import type { Life, World } from "../world.ts";
import { isCut, type Line, Lines } from "./lines.ts";
import type { Roll } from "./roll.ts";
import { witnessed } from "./witnessed.ts";

/** A node's log among others', and the line that it comes by. */
interface Joined {
  readonly log: Log;
  readonly line: Line;
}

/** Several nodes on one store, and what may happen between them and it. */
export class Cluster {
  readonly #roll: Roll;
  readonly #world: World;
  readonly #lines: Lines;
  readonly #cluster: ReturnType<Parts["cluster"]>;
  readonly #joined = new Map<string, Line>();
  /** Until then the store is away, also for nodes that start meanwhile. */
  #awayUntilMs = 0;

  constructor(world: World, faults: Faults, parts: Parts, witness: Witness, roll: Roll) {
    this.#world = world;
    this.#roll = roll;
    this.#lines = new Lines(world, faults);
    this.#lines.onBeating = (name) => roll.beating(name);
    this.#lines.onBeaten = (name) => roll.beaten(name);
    this.#lines.onLeft = (name) => roll.left(name);
    this.#cluster = parts.cluster(witnessed(parts.store, witness), this.#lines);
  }

  join(name: string, life: Life): Joined {
    const line = this.#lines.lay(name, life);
    this.#joined.set(name, line);
    this.#roll.enter(name, life);
    if (this.#world.elapsedMs < this.#awayUntilMs) this.cut(name, this.#awayUntilMs - this.#world.elapsedMs);
    return { log: this.#cluster.node(name), line };
  }

  /** It has died. Mostly the store hears of that at once; of a machine that lost its power it hears nothing. */
  crash(name: string): void {
    const line = this.#joined.get(name)!;
    this.#joined.delete(name);
    this.#lines.break(line);
    if (this.#world.random.chance(0.7))
      this.#world.after(this.#world.random.next(), `the store misses ${name}`, () =>
        this.#cluster.crash(name),
      );
  }

  /** The node cannot reach the store, nor the store the node. */
  cut(name: string, forMs: number): void {
    const line = this.#joined.get(name);
    if (!line) return;
    const untilMs = this.#world.elapsedMs + forMs;
    line.cutUntilMs = Math.max(line.cutUntilMs, untilMs);
    this.#lines.break(line);
    // Only when what got there all the same has been written.
    this.#world.after(0, `the store misses ${name}`, () => this.#cluster.cut(name));
    this.#world.after(forMs, `${name} reaches the store again`, () => {
      if (line.cutUntilMs === untilMs) this.#mend(name, line);
    });
  }

  /** The store is killed, and started again after a while. */
  breakDown(forMs: number): void {
    this.#awayUntilMs = this.#world.elapsedMs + forMs;
    for (const name of this.#joined.keys()) this.cut(name, forMs);
  }

  /** CL6: the store is another server from now on, after a while in which there is none. */
  failOver(forMs: number): void {
    this.breakDown(forMs);
    this.#cluster.failOver?.();
  }

  /** Everything is connected from now on. Returns whether some node was cut off until now. */
  mend(): boolean {
    this.#awayUntilMs = 0;
    const cutOff = [...this.#joined].filter(([, line]) => isCut(line));
    for (const [name, line] of cutOff) this.#mend(name, line);
    return cutOff.length > 0;
  }

  /** Its connections are new ones: it may have missed what was announced meanwhile. */
  #mend(name: string, line: Line): void {
    line.cutUntilMs = 0;
    line.life.disturbedAtMs = this.#world.elapsedMs;
    this.#cluster.cut(name);
  }
}
