import type pg from "pg";
import { connectTo } from "../support/postgres.ts";
import type { Cluster, Node } from "./cluster.ts";

/** Interval of the checks. */
const lookMs = 100;
/** If something has not answered for longer than this, it was down or this machine stalled. */
const promptMs = 300;
/** One second to recover from an outage, and one for a timer. */
const [warmMs, timerMs] = [1_000, 1_000];

/**
 * When people could have been served: PostgreSQL committed promptly, and some undisturbed node answered promptly. It is
 * measured instead of derived from the plan, so that a stalled machine excuses late results.
 */
export class Uptime {
  readonly #cluster: Cluster;
  /** Nodes that are being disturbed. */
  readonly disturbed = new Set<Node>();
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

  /** The time by which a timer must have fired; undefined if it was never certain or is not over yet. */
  deadlineOf(due: number): number | undefined {
    for (const { from, to } of this.#good) {
      const deadline = Math.max(due + timerMs, from + warmMs + timerMs);
      if (deadline <= to) return deadline;
    }
    return undefined;
  }

  /** Total time in which some node could serve. */
  get goodMs(): number {
    return this.#good.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  #look(): void {
    const now = Date.now();
    const stoodStill = now - this.#lookedAt > promptMs;
    this.#lookedAt = now;
    const isRecent = (at: number | undefined) => at !== undefined && now - at <= promptMs;
    const isServed = this.#cluster.nodes.some(
      (node) => !this.disturbed.has(node) && isRecent(this.#answeredAt.get(node)),
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

  /** A failed call was recorded as an outage by itself. */
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
