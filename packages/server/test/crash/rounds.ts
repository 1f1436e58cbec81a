import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { randomOf } from "../chat/telegram-faults.ts";
import { ChildServer } from "../support/child-server.ts";
import { type Answer, type Client, eachOf, range } from "../support/http.ts";
import { diskFolder } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";

/** CRASH_KILLS sets how often each of these tests kills its server. CRASH_SEED repeats a run's choices, but not its timing. */
export const killsOr = (usual: number) => Number(process.env.CRASH_KILLS ?? usual);
const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));

const momentMsMax = 5;
/** Acts of earlier rounds to repeat after each round. */
const olderReplays = 60;

/** A request that may have an effect, with its own key and its outcome. */
export interface KeyedAct {
  readonly key: string;
  answer?: Answer;
}

interface Round {
  readonly server: ChildServer;
  readonly client: Client;
  readonly index: number;
  readonly isLast: boolean;
}

interface Plan<Act extends KeyedAct> {
  readonly kills: number;
  /** The server of a round is killed after at most this many answers. */
  readonly answersMax: number;
  /** How many of the latest acts are repeated after each round. At the end, all are. */
  readonly replaysMax: number;
  readonly flags?: readonly string[];
  readonly send: (client: Client, act: Act) => Promise<Answer>;
  /** Checks an answer that is no replay. Returns false if the act had no effect. */
  readonly note: (act: Act, answer: Answer) => boolean;
  readonly begin: (client: Client) => Promise<unknown>;
  readonly check: (round: Round) => Promise<void>;
  /** The next act of each concurrent client; undefined if there is nothing to do but wait. */
  readonly people: readonly ((client: Client) => Promise<Act | undefined> | Act | undefined)[];
  /** Whether an answer counts towards the end of the round. */
  readonly counts?: (round: Round) => boolean;
  /** The answer of a server that is down. */
  readonly checkFolder?: (folder: string) => void;
}

/** Kills a server repeatedly under load. Clients repeat requests that got no answer. */
export class KillRounds<Act extends KeyedAct> {
  readonly random = randomOf(seed);
  /** Acts that had an effect, in the order of their answers. */
  readonly effects: Act[] = [];
  readonly #unanswered = new Map<string, Act>();
  #keys = 0;

  newKey(): string {
    return `key-${++this.#keys}`;
  }

  async run(context: TestContext, plan: Plan<Act>): Promise<void> {
    const folder = diskFolder();
    try {
      for (const index of range(plan.kills + 1)) await this.#round(plan, index, folder.path);
      const { length } = this.effects;
      assert.ok(length > plan.kills * 5, `only ${length} effects: there was no load`);
      context.diagnostic(`${length} effects, ${this.#keys} requests, seed ${seed}`);
    } catch (error) {
      throw new Error(`With CRASH_SEED=${seed}: ${(error as Error).message}`, { cause: error });
    } finally {
      folder.remove();
    }
  }

  async #round(plan: Plan<Act>, index: number, folder: string): Promise<void> {
    const server = await ChildServer.start(["--data", folder, ...issuerFlags, ...(plan.flags ?? [])]);
    const client = server.client(64);
    const round = { server, client, index, isLast: index === plan.kills };
    try {
      if (index === 0) await plan.begin(client);
      // Unanswered requests are repeated with the same key. They take effect now, or have before.
      const again = [...this.#unanswered.values()];
      this.#unanswered.clear();
      await eachOf(again, 48, async (act) => this.#note(plan, act, await plan.send(client, act)));
      const repeated = round.isLast ? this.effects : this.#someEffects(plan.replaysMax);
      await assertReplays(repeated, (act) => plan.send(client, act));
      await plan.check(round);
      if (!round.isLast) await this.#untilKilled(plan, round);
    } finally {
      await server.kill();
      client.close();
    }
    plan.checkFolder?.(folder);
  }

  /** The latest acts, and a few of the others. */
  #someEffects(latestMax: number): Act[] {
    const latest = this.effects.slice(-latestMax);
    const older = this.effects.slice(0, -latestMax);
    const picked = range(olderReplays).flatMap(() => older[Math.floor(this.random() * older.length)] ?? []);
    return [...new Set([...latest, ...picked])];
  }

  /** Kill after this many answers, because in a fixed time a busy machine may do almost nothing. */
  async #untilKilled(plan: Plan<Act>, round: Round): Promise<void> {
    let left = Math.max(1, Math.ceil((0.2 + 0.8 * this.random()) * plan.answersMax));
    const momentMs = this.random() * momentMsMax;
    const answered = () => {
      if (plan.counts && !plan.counts(round)) return;
      if (--left === 0) setTimeout(() => round.server.process.kill("SIGKILL"), momentMs);
    };
    await Promise.all(plan.people.map((next) => this.#askOn(plan, round.client, next, answered)));
  }

  async #askOn(
    plan: Plan<Act>,
    client: Client,
    next: Plan<Act>["people"][number],
    answered: () => void,
  ): Promise<void> {
    for (;;) {
      try {
        const act = await next(client);
        if (!act) continue;
        this.#unanswered.set(act.key, act);
        const answer = await plan.send(client, act);
        this.#unanswered.delete(act.key);
        this.#note(plan, act, answer);
        answered();
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === undefined || error instanceof assert.AssertionError) throw error;
        return;
      }
    }
  }

  #note(plan: Plan<Act>, act: Act, answer: Answer): void {
    if (plan.note(act, answer)) this.effects.push(Object.assign(act, { answer }));
  }
}

/** ID1: each request repeated with its key gets exactly the same answer. */
export async function assertReplays<Act extends { answer?: Answer }>(
  acts: readonly Act[],
  send: (act: Act) => Promise<Answer>,
): Promise<void> {
  await eachOf(acts, 48, async (act) => {
    const again = await send(act);
    const first = act.answer!;
    const about = `${JSON.stringify({ ...act, answer: first.text })} again: ${again.status} ${again.text}`;
    assert.deepEqual([again.status, again.text], [first.status, first.text], about);
    assert.equal(again.headers["idempotent-replayed"], "true", about);
  });
}
