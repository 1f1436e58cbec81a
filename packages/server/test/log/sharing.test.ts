import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Log, LogUnavailable } from "../../src/log/log.ts";
import { MemoryCluster, openNetwork, type StoreNetwork } from "../../src/log/memory/memory-cluster.ts";
import { sharingOf } from "../support/sharing-of.ts";
import { answered, TestClock, turns, watched } from "../support/test-clock.ts";
import { assertWhole, fill } from "./contract.ts";
import { Replica } from "./replica.ts";
import { type NodesFactory, testHintContract, testTurnContract } from "./sharing-contract.ts";
import { testHeartbeatContract } from "./sharing-heartbeats-contract.ts";

const inMemory: NodesFactory = async () => {
  const clock = new TestClock();
  const cluster = new MemoryCluster(undefined, openNetwork(clock));
  return {
    start: async (name) => cluster.node(name),
    cut: async (name) => cluster.cut(name),
    pass: (ms) => clock.advance(ms),
    dispose: async () => {},
  };
};

testTurnContract("memory", inMemory);
testHintContract("memory", inMemory);
testHeartbeatContract("memory", inMemory);

/** Holds messages of one node with this purpose until they are released or lost. */
class Toll implements StoreNetwork {
  readonly clock = new TestClock();
  readonly #open = openNetwork(this.clock);
  readonly #held: PromiseWithResolvers<void>[] = [];
  readonly #node: string;
  readonly #purpose: string;
  readonly now = this.#open.now;
  readonly after = this.#open.after;

  constructor(node: string, purpose: string) {
    this.#node = node;
    this.#purpose = purpose;
  }

  async pass(node: string, what: string): Promise<void> {
    await this.#open.pass(node, what);
    if (node !== this.#node || !what.endsWith(this.#purpose)) return;
    const held = Promise.withResolvers<void>();
    this.#held.push(held);
    await held.promise;
  }

  letThrough(): void {
    for (const { resolve } of this.#held.splice(0)) resolve();
  }

  lose(): void {
    for (const { reject } of this.#held.splice(0)) reject(new LogUnavailable("Lost on the way."));
  }
}

async function twoNodes(purpose: string) {
  const toll = new Toll("ann", purpose);
  const cluster = new MemoryCluster(undefined, toll);
  const [ann, bob] = [cluster.node("ann"), cluster.node("bob")];
  await fill(bob, "game/a", [1]);
  return { toll, cluster, ann, bob };
}

const begin = (log: Log) => watched(new Replica(log, "game/a").add("held up"));

describe("failing nodes in memory", () => {
  for (const purpose of ["its tails", "its commit"]) {
    test(`[CL3] a node that dies waiting for ${purpose} to arrive has written nothing, and the stream is unlocked`, async () => {
      const { toll, cluster, ann, bob } = await twoNodes(purpose);
      const lost = begin(ann);
      const next = begin(bob);
      await turns();
      assert.equal(next.settled, false);
      cluster.crash("ann");
      assert.equal(await answered(next.promise), "committed");
      toll.letThrough();
      await assert.rejects(lost.promise, LogUnavailable);
      assert.equal(await assertWhole(bob, "game/a"), 2);
    });

    test(`[CL2] a node that freezes before ${purpose} arrives loses its commit after a timeout and has written nothing`, async () => {
      const { toll, ann, bob } = await twoNodes(purpose);
      const frozen = begin(ann);
      const next = begin(bob);
      await turns();
      await toll.clock.advance(699);
      assert.equal(next.settled, false);
      await toll.clock.advance(1);
      assert.equal(await answered(next.promise), "committed");
      toll.letThrough();
      await assert.rejects(frozen.promise, LogUnavailable);
      assert.equal(await assertWhole(bob, "game/a"), 2);
    });
  }

  test("[LG2] when the answer is lost, the commit fails although it was written", async () => {
    const { toll, ann, bob } = await twoNodes("its answer");
    const unanswered = begin(ann);
    assert.equal(await answered(begin(bob).promise), "committed");
    toll.lose();
    await assert.rejects(unanswered.promise, LogUnavailable);
    assert.equal(await assertWhole(bob, "game/a"), 3);
  });

  test("[CL2] a node that gives up while it waits lets nobody overtake earlier ones", async () => {
    const { toll, cluster, ann, bob } = await twoNodes("its commit");
    const cleo = cluster.node("cleo");
    const [first, second, third] = [begin(ann), begin(bob), begin(cleo)];
    await turns();
    cluster.cut("bob");
    await assert.rejects(answered(second.promise), LogUnavailable);
    await turns();
    assert.equal(third.settled, false);
    toll.letThrough();
    assert.deepEqual(await answered(Promise.all([first.promise, third.promise])), ["committed", "committed"]);
    assert.equal(await assertWhole(bob, "game/a"), 3);
  });

  test("[CL1] a lost announcement is not delivered, and the next one is", async () => {
    const { toll, ann, bob } = await twoNodes("announcement");
    const received: unknown[] = [];
    sharingOf(ann).listen((advanced) => void received.push(advanced));
    const advanced = { stream: "game/a", version: 1, hasEffects: false } as const;
    sharingOf(bob).announce([advanced]);
    await turns();
    toll.lose();
    sharingOf(bob).announce([{ ...advanced, version: 2 }]);
    await turns();
    toll.letThrough();
    await turns();
    assert.deepEqual(received, [[{ ...advanced, version: 2 }]]);
  });
});
