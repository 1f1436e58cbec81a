import type { Cluster, Node } from "./cluster.ts";
import { type Chance, pause } from "./people.ts";
import type { Uptime } from "./uptime.ts";

export interface FaultTerms {
  readonly cluster: Cluster;
  readonly uptime: Uptime;
  readonly chance: Chance;
  /** The lease of people who wait. Nodes freeze for up to twice as long. */
  readonly leaseMs: number;
}

const kinds = ["kill", "freeze", "crash", "cut", "refuse", "swallow", "delay"] as const;

/** Injects one failure after another: kills and freezes nodes, kills PostgreSQL, and breaks, blackholes or slows connections. */
export class Faults {
  /** The injected failures, one word each. */
  readonly done: string[] = [];
  readonly #terms: FaultTerms;
  /** Failures that have not occurred yet, so that each occurs. */
  #left: (typeof kinds)[number][] = [];

  constructor(terms: FaultTerms) {
    this.#terms = terms;
  }

  async make(ms: number): Promise<void> {
    const { chance } = this.#terms;
    const end = performance.now() + ms;
    for (let left = ms; left > 0; left = end - performance.now()) {
      await this.#next(left);
      await pause(chance.between(300, 2_000));
    }
  }

  async #next(leftMs: number): Promise<void> {
    const { cluster, chance, uptime, leaseMs } = this.#terms;
    if (this.#left.length === 0) this.#left = [...kinds];
    const [kind] = this.#left.splice(Math.floor(chance.next() * this.#left.length), 1);
    const one = chance.of(cluster.nodes);
    const reach = ["kill", "freeze"].includes(kind) || chance.next() < 0.6 ? [one] : cluster.nodes;
    const lasts = {
      kill: 1_500,
      freeze: 2 * leaseMs,
      crash: 1_500,
      cut: 0,
      refuse: 3_000,
      swallow: 4_000,
      delay: 3_000,
    };
    const ms = Math.min(leftMs, chance.between(200, lasts[kind]));
    this.done.push(`${kind}${reach.length > 1 ? " all" : ""} ${Math.round(ms)} ms`);
    for (const node of reach) uptime.disturbed.add(node);
    if (kind === "kill") await restarted(one, ms);
    else if (kind === "freeze") await frozen(one, ms);
    else if (kind === "crash") await crashed(cluster, ms);
    else await disturbed(reach, kind, ms, chance.between(10, 120));
    uptime.disturbed.clear();
  }
}

async function restarted(node: Node, ms: number): Promise<void> {
  await node.kill();
  await pause(ms);
  await node.start();
}

async function frozen(node: Node, ms: number): Promise<void> {
  node.freeze();
  await pause(ms);
  node.thaw();
}

async function crashed({ postgres }: Cluster, ms: number): Promise<void> {
  await postgres.kill();
  await pause(ms);
  await postgres.restart();
}

async function disturbed(
  nodes: readonly Node[],
  kind: "cut" | "refuse" | "swallow" | "delay",
  ms: number,
  delayMs: number,
): Promise<void> {
  for (const { relay } of nodes) relay[kind](delayMs);
  if (kind !== "cut") await pause(ms);
  for (const { relay } of nodes) relay.heal();
}
