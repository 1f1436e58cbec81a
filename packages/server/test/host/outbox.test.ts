import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Refusal } from "@openseat/kernel";
import { answered, turns, watched } from "../support/test-clock.ts";
import { numbered, Post } from "./post.ts";

const damaged: Refusal = { code: "log.damaged", message: "It cannot be read." };
const later: Refusal = { code: "log.unavailable", message: "Later, please.", retryable: true };
const unknown: Refusal = { code: "ladder.not-found", message: "There is no such ladder." };
const repeated: Refusal = { code: "delivery.repeated", message: "This was already counted." };

/** Delivery counts when nothing was sent to channels. */
const inside = (arrived: number, refused: number, held: number) => ({
  ...{ arrived, refused, held },
  ...{ sent: 0, setAside: 0 },
});

describe("the outbox between streams", () => {
  test("[LD12] all waiting effects are delivered in order, one batch per route, and then removed", async () => {
    const post = new Post();
    await post.send("arena/a", "ladder/l", "a1", "a2");
    await post.send("arena/b", "ladder/l", "b1");
    await post.send("arena/a", "ladder/m", "a3");
    await post.send("arena/a", "ladder/l", "a4");
    await post.deliver();
    assert.deepEqual(post.told, [
      "arena/a to ladder/l: a1 a2 a4",
      "arena/b to ladder/l: b1",
      "arena/a to ladder/m: a3",
    ]);
    assert.deepEqual(await post.waiting(), []);
    assert.equal(post.clock.timers, 0, "nothing to retry");
    assert.deepEqual(post.errors, []);
    assert.deepEqual(post.outbox.counts, inside(5, 0, 0));
  });

  test("[CH7] effects of several streams arrive in the order of their causes where order matters, even after a failure", async () => {
    const post = new Post();
    post.refusal = later;
    await post.send("directory/main", "conversation/ann", "d1", "d2");
    await post.send("ladder/l", "conversation/ann", "l1");
    await post.send("directory/main", "conversation/ann", "d3");
    await post.deliver();
    assert.deepEqual(post.told, ["directory/main to conversation/ann: d1 d2"]);
    post.refusal = undefined;
    await post.clock.advance(1_000);
    assert.deepEqual(post.told.slice(1), [
      "directory/main to conversation/ann: d1 d2",
      "ladder/l to conversation/ann: l1",
      "directory/main to conversation/ann: d3",
    ]);
    assert.deepEqual(await post.waiting(), []);
    assert.deepEqual(post.outbox.counts, inside(4, 0, 0));
  });

  for (const refusal of [later, damaged, { code: "server.fault", message: "A fault." } as Refusal]) {
    test(`[LD12] refused with ${refusal.code} an effect is retried with backoff, and nothing overtakes it`, async () => {
      const post = new Post();
      post.refusal = refusal;
      await post.send("arena/a", "ladder/l", "one");
      await post.deliver();
      const tries: number[] = [];
      const start = post.clock.elapsed();
      for (let second = 0; second < 200; second++) {
        const before = post.parcels.length;
        await post.clock.advance(1_000);
        if (post.parcels.length > before) tries.push((post.clock.elapsed() - start) / 1_000);
      }
      assert.deepEqual(tries, [1, 3, 7, 15, 31, 63, 123, 183]);
      await post.send("arena/a", "ladder/l", "two");
      const tried = post.parcels.length;
      await post.deliver();
      assert.equal(post.parcels.length, tried, "new effects do not cause an earlier retry");
      post.refusal = undefined;
      await post.clock.advance(60_000);
      assert.deepEqual(post.parcels.at(-1)!.texts, ["one", "two"]);
      assert.deepEqual(await post.waiting(), []);
      assert.equal(post.clock.timers, 0);
    });
  }

  test("[LD12] a successful delivery resets the backoff", async () => {
    const post = new Post();
    post.refusal = later;
    await post.send("arena/a", "ladder/l", "one");
    post.outbox.wake();
    for (let second = 0; second < 20; second++) await post.clock.advance(1_000);
    post.refusal = undefined;
    await post.clock.advance(60_000);
    assert.deepEqual(await post.waiting(), []);
    post.refusal = later;
    await post.send("arena/a", "ladder/l", "two");
    await post.deliver();
    const before = post.parcels.length;
    await post.clock.advance(1_000);
    assert.equal(post.parcels.length, before + 1);
  });

  test("[LD12] [CH7] a slow or failing route delays no other, even behind more than a page of its effects", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", ...numbered(600, "a"));
    await post.send("arena/b", "ladder/l", "b");
    await post.deliver();
    post.holding = false;
    post.parcels[1].answer();
    await turns();
    assert.deepEqual(post.told.slice(1), ["arena/b to ladder/l: b"], "while the first is in flight");
    post.parcels[0].answer(damaged);
    await post.send("arena/b", "ladder/l", "b2");
    await post.deliver();
    assert.deepEqual(post.told.slice(2), ["arena/b to ladder/l: b2"], "while the first waits for its retry");
    assert.equal((await post.waiting()).length, 600);
    assert.deepEqual(post.outbox.counts, inside(2, 0, 1));
    await post.clock.advance(1_000);
    assert.deepEqual(post.outbox.counts, inside(602, 0, 0));
    const texts = post.parcels.filter(({ from }) => from === "arena/a").flatMap((parcel) => parcel.texts);
    assert.deepEqual(texts.slice(500), numbered(600, "a"));
  });

  test("[LD12] once the log is back, the backoff of its reads is reset", async () => {
    const post = new Post();
    post.log.down = true;
    await post.deliver();
    for (let second = 0; second < 20; second++) await post.clock.advance(1_000);
    post.log.down = false;
    await post.clock.advance(60_000);
    post.log.down = true;
    await post.send("arena/a", "ladder/l", "one");
    await post.deliver();
    post.log.down = false;
    await post.clock.advance(1_000);
    assert.deepEqual(await post.waiting(), []);
  });

  test("[LD12] effects that others have delivered meanwhile are neither searched for nor delivered empty", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", ...numbered(700, "a"));
    await post.deliver();
    const other = post.another();
    await other.deliver();
    assert.deepEqual(await post.waiting(), []);
    post.parcels[0].answer(repeated);
    await turns();
    assert.equal(post.parcels.length, 1);
    assert.deepEqual(post.errors, []);
    assert.equal(post.outbox.counts.held, 0);
  });

  test("[LD12] a permanently refused effect is reported, set aside and never retried", async () => {
    const post = new Post();
    post.refusal = unknown;
    await post.send("arena/a", "ladder/gone", "one", "two");
    await post.deliver();
    assert.equal(post.parcels.length, 1);
    assert.deepEqual(
      post.errors.map(({ message }) => message),
      ["A delivery from arena/a to ladder/gone was refused: There is no such ladder."],
    );
    assert.deepEqual(await post.waiting(), []);
    assert.deepEqual(post.outbox.counts, inside(0, 2, 0));
    post.refusal = undefined;
    post.outbox.wake();
    await post.clock.advance(600_000);
    assert.equal(post.parcels.length, 1);
    await post.send("arena/a", "ladder/l", "three");
    await post.deliver();
    assert.deepEqual(post.parcels[1].texts, ["three"]);
  });

  test("[LD12] a stop waits for deliveries under way, and starts no others", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", "one");
    await post.deliver();
    const stopped = watched(post.outbox.stop());
    await post.send("arena/a", "ladder/l", "two");
    await post.deliver();
    assert.ok(!stopped.settled, "unfinished work is left");
    post.parcels[0].answer();
    await answered(stopped.promise);
    assert.deepEqual(post.told, ["arena/a to ladder/l: one"]);
    assert.deepEqual(await post.waiting(), ["two"]);
    post.outbox.wake();
    await post.clock.advance(600_000);
    assert.equal(post.parcels.length, 1);
    assert.equal(post.clock.timers, 0);
  });

  test("[LD12] a stop while the log cannot be read does not wait for it", async () => {
    const post = new Post();
    post.log.down = true;
    await post.deliver();
    assert.equal(post.clock.timers, 1);
    await answered(post.outbox.stop());
    assert.equal(post.clock.timers, 0);
  });

  test("[LD12] a stop while a queue or the outbox reads the log delivers nothing of what was read", async () => {
    const post = new Post();
    const reads: (() => void)[] = [];
    const { outbox, outboxOf } = post.log;
    const moment = () => new Promise<void>((resolve) => reads.push(resolve));
    post.log.outboxOf = (...question) => moment().then(() => outboxOf.apply(post.log, question));
    await post.send("arena/a", "ladder/l", ...numbered(600, "a"));
    await post.deliver();
    post.log.outbox = (...question) => moment().then(() => outbox.apply(post.log, question));
    await post.send("arena/b", "ladder/l", "b");
    await post.deliver();
    assert.equal(reads.length, 2);
    const stopped = post.outbox.stop();
    for (const go of reads) go();
    await answered(stopped);
    await turns();
    assert.equal(post.parcels.length, 1);
    assert.equal((await post.waiting()).length, 101);
  });

  test("[LD12] a stop while some deliveries cannot be recorded waits for the others", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", "one");
    await post.send("arena/b", "ladder/m", "two");
    await post.deliver();
    post.log.down = true;
    post.parcels[0].answer();
    await turns();
    const stopped = watched(post.outbox.stop());
    await turns();
    assert.ok(!stopped.settled, "a parcel is still in flight");
    post.parcels[1].answer(repeated);
    await answered(stopped.promise);
  });
});
