import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  ladderDecider,
  type Millis,
  type PersonId,
} from "@openseat/kernel";
import { newLadderCommand } from "../../src/app/ladders/ladders.ts";
import { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import type { AskOutcome } from "../../src/host/stream/asks.ts";
import { KeyMemory } from "../../src/host/stream/keys/key-memory.ts";
import { HeldLog } from "../support/held-log.ts";
import { answered, TestClock, turns } from "../support/test-clock.ts";
import { codeOf } from "./stage.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

type LadderOutcome = AskOutcome<Ladder, LadderEvent>;

/** A host of ladders, whose keys never expire. */
class Rungs {
  readonly log: HeldLog;
  readonly clock: TestClock;
  readonly #options: Partial<HostOptions>;
  readonly #ladders;

  constructor(options: Partial<HostOptions> = {}, log = new HeldLog(), clock = new TestClock()) {
    this.log = log;
    this.clock = clock;
    this.#options = options;
    const host = new Host({ log, clock, deciders: { ladder: ladderDecider }, ...options });
    this.#ladders = host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
  }

  /** Restarts as after a crash. */
  another(): Rungs {
    return new Rungs(this.#options, this.log, this.clock);
  }

  ask(command: LadderCommand, key?: string): Promise<LadderOutcome> {
    return answered(this.#ladders.ask("l", { command, by: "@service", key }));
  }

  async opened(): Promise<void> {
    await this.ask(newLadderCommand({ title: "L" }, "carol"));
    for (const person of ["ann", "bob"] as PersonId[])
      await this.ask({ type: "enrol", person, name: person, rating: undefined, asker });
  }

  report(key: string, scores: readonly [number, number] = [1, 0]): Promise<LadderOutcome> {
    const players = ["ann", "bob"] as unknown as readonly [PersonId, PersonId];
    return this.ask({ type: "report", result: { players, scores }, asker }, key);
  }

  async matches(): Promise<number> {
    const found = await answered(this.#ladders.read("l", (ladder) => ladder!.counting));
    assert.ok("value" in found);
    return found.value;
  }
}

const asker = { by: "@service", role: "service" } as const;

function assertReplay(outcome: LadderOutcome, first: LadderOutcome): void {
  assert.ok("entry" in first && "entry" in outcome, JSON.stringify(outcome));
  assert.deepEqual(outcome.entry, first.entry);
  assert.equal(outcome.replayed, true);
}

describe("keys that never expire", () => {
  test("[LD1] a match reported again days and many keys later is recognised, even after restarts", async () => {
    const rungs = new Rungs();
    await rungs.opened();
    const first = await rungs.report("the key");
    for (let days = 1; days <= 6; days++) {
      await rungs.clock.advance(day + 1);
      await rungs.report(`other ${days}`);
      assertReplay(await rungs.report("the key"), first);
    }
    assertReplay(await rungs.another().report("the key"), first);
    assert.equal(codeOf(await rungs.another().report("the key", [0, 1])), "key.reused");
    assert.equal(await rungs.matches(), 7);
  });

  test("[LD1] also after the ladder was repeatedly loaded from a snapshot", async () => {
    let rungs = new Rungs({ snapshotTailMin: 2 });
    await rungs.opened();
    const firsts = new Map<string, LadderOutcome>();
    for (let round = 0; round < 5; round++) {
      for (const each of ["a", "b", "c"]) {
        const key = `${each} ${round}`;
        firsts.set(key, await rungs.report(key));
        await turns();
      }
      await rungs.clock.advance(30 * hour);
      const saved = rungs.log.snapshotsSaved.length;
      assert.ok(saved > round, "no snapshot was taken");
      rungs = rungs.another();
      for (const [key, first] of firsts) assertReplay(await rungs.report(key), first);
    }
    assert.equal(await rungs.matches(), 15);
  });
});

test("[LD1] a memory with isForEver keeps every key across saves and restores; others drop old keys", () => {
  let [kept, others] = [new KeyMemory(0 as Millis, true), new KeyMemory(0 as Millis)];
  for (let round = 1; round <= 50; round++) {
    const at = (round * 40 * hour) as Millis;
    for (const memory of [kept, others]) memory.remember("ann", `k${round}`, round, at);
    const restored = [kept, others].map((memory, index) => {
      const { head, columns } = memory.save();
      return KeyMemory.restore(JSON.parse(JSON.stringify(head)), structuredClone(columns), index === 0);
    });
    [kept, others] = [restored[0], restored[1]];
  }
  for (let round = 1; round <= 50; round++) assert.equal(kept.find("ann", `k${round}`), round);
  assert.equal(others.find("ann", "k1"), undefined);
});
