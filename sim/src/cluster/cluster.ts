import type { Log } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Parts } from "../parts.ts";
import type { Witness } from "../sim-log.ts";
import type { Life, World } from "../world.ts";
import { isCut, type Line, Lines } from "./lines.ts";
import type { Membership } from "./membership.ts";
import { witnessed } from "./witnessed.ts";

/** One node's log connection, and its link to the store. */
interface Joined {
  readonly log: Log;
  readonly line: Line;
}

/** Several nodes on one store, and the faults between them. */
export class Cluster {
  readonly #membership: Membership;
  readonly #world: World;
  readonly #lines: Lines;
  readonly #cluster: ReturnType<Parts["cluster"]>;
  readonly #joined = new Map<string, Line>();
  /** Until then the store is down, also for nodes that start meanwhile. */
  #awayUntilMs = 0;

  constructor(world: World, faults: Faults, parts: Parts, witness: Witness, membership: Membership) {
    this.#world = world;
    this.#membership = membership;
    this.#lines = new Lines(world, faults);
    this.#lines.onHeartbeatSent = (name) => membership.heartbeatSent(name);
    this.#lines.onHeartbeatTaken = (name) => membership.heartbeatTaken(name);
    this.#lines.onLeft = (name) => membership.left(name);
    this.#cluster = parts.cluster(witnessed(parts.store, witness), this.#lines);
  }

  join(name: string, life: Life): Joined {
    const line = this.#lines.lay(name, life);
    this.#joined.set(name, line);
    this.#membership.enter(name, life);
    if (this.#world.elapsedMs < this.#awayUntilMs) this.cut(name, this.#awayUntilMs - this.#world.elapsedMs);
    return { log: this.#cluster.node(name), line };
  }

  /** The node died. The store usually notices at once, but not when the machine lost power. */
  crash(name: string): void {
    const line = this.#joined.get(name)!;
    this.#joined.delete(name);
    this.#lines.break(line);
    if (this.#world.random.chance(0.7))
      this.#world.after(this.#world.random.next(), `the store misses ${name}`, () =>
        this.#cluster.crash(name),
      );
  }

  /** Node and store cannot reach each other. */
  cut(name: string, forMs: number): void {
    const line = this.#joined.get(name);
    if (!line) return;
    const untilMs = this.#world.elapsedMs + forMs;
    line.cutUntilMs = Math.max(line.cutUntilMs, untilMs);
    this.#lines.break(line);
    // After messages that still got through have been written.
    this.#world.after(0, `the store misses ${name}`, () => this.#cluster.cut(name));
    this.#world.after(forMs, `${name} reaches the store again`, () => {
      if (line.cutUntilMs === untilMs) this.#mend(name, line);
    });
  }

  /** Kills the store and restarts it later. */
  breakDown(forMs: number): void {
    this.#awayUntilMs = this.#world.elapsedMs + forMs;
    for (const name of this.#joined.keys()) this.cut(name, forMs);
  }

  /** CL6: after a pause, another server takes over as the store. */
  failOver(forMs: number): void {
    this.breakDown(forMs);
    this.#cluster.failOver?.();
  }

  /** Restores all connections. Returns whether a node was cut off. */
  mend(): boolean {
    this.#awayUntilMs = 0;
    const cutOff = [...this.#joined].filter(([, line]) => isCut(line));
    for (const [name, line] of cutOff) this.#mend(name, line);
    return cutOff.length > 0;
  }

  /** The connections are new, so the node may have missed announcements. */
  #mend(name: string, line: Line): void {
    line.cutUntilMs = 0;
    line.life.disturbedAtMs = this.#world.elapsedMs;
    this.#cluster.cut(name);
  }
}
