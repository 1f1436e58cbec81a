import type pg from "pg";
import { connectTo } from "../support/postgres.ts";
import type { Cluster, Node } from "./cluster.ts";

/** So often everything is looked at. */
const lookMs = 100;
/** What has not answered for longer than this was not there, or this machine was not. */
const promptMs = 300;
/** The second in which whoever was away finds back, and the second that a timer has. */
const [warmMs, timerMs] = [1_000, 1_000];

/**
 * When people could have been served: PostgreSQL committed promptly, and some node that nothing was done to answered
 * promptly. It is measured and not taken from the plan, so that a machine that stands still excuses what was late by it.
 */
export class Uptime {
  readonly #cluster: Cluster;
  /** Nodes to which something is being done. */
  readonly troubled = new Set<Node>();
  readonly #good: { readonly from: number; to: number }[] = [];
  #wasGood = false;
  #committedAt = 0;
  readonly #answeredAt = new Map<Node, number>();
  #lookedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #database: pg.Client | undefined;
  readonly #underWay = new Set<unknown>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#timer = setInterval(() => this.#look(), lookMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#database?.end().catch(() => {});
  }

  /** By when a timer of this time must have rung; undefined when that was never sure, or is not yet over. */
  deadlineOf(due: number): number | undefined {
    for (const { from, to } of this.#good) {
      const deadline = Math.max(due + timerMs, from + warmMs + timerMs);
      if (deadline <= to) return deadline;
    }
    return undefined;
  }

  /** For how long there was somebody to serve, in all. */
  get goodMs(): number {
    return this.#good.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  #look(): void {
    const now = Date.now();
    const stoodStill = now - this.#lookedAt > promptMs;
    this.#lookedAt = now;
    const isRecent = (at: number | undefined) => at !== undefined && now - at <= promptMs;
    const isServed = this.#cluster.nodes.some(
      (node) => !this.troubled.has(node) && isRecent(this.#answeredAt.get(node)),
    );
    this.#note(now, !stoodStill && isServed && isRecent(this.#committedAt));
    void this.#once("database", async () => {
      this.#committedAt = await this.#commit();
    });
    for (const node of this.#cluster.nodes)
      void this.#once(node, async () => {
        const sentAt = Date.now();
        const { status } = await node.client.get("/healthz", { timeoutMs: promptMs });
        if (status === 200) this.#answeredAt.set(node, sentAt);
      });
  }

  #note(now: number, isGood: boolean): void {
    if (isGood && this.#wasGood) this.#good.at(-1)!.to = now;
    else if (isGood) this.#good.push({ from: now, to: now });
    this.#wasGood = isGood;
  }

  /** Whatever fails says by itself that it was not there. */
  async #once(what: unknown, look: () => Promise<void>): Promise<void> {
    if (this.#underWay.has(what)) return;
    this.#underWay.add(what);
    await look().catch(() => {});
    this.#underWay.delete(what);
  }

  async #commit(): Promise<number> {
    const sentAt = Date.now();
    try {
      this.#database ??= await this.#connect();
      await this.#database.query("UPDATE public.probe SET at = now()");
    } catch (error) {
      this.#database = undefined;
      throw error;
    }
    return sentAt;
  }

  async #connect(): Promise<pg.Client> {
    const client = await connectTo(this.#cluster.url, { query_timeout: 2_000 });
    await client.query("CREATE TABLE IF NOT EXISTS public.probe AS SELECT now() AS at");
    return client;
  }
}
