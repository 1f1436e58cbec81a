import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Delivery, Refusal } from "@openseat/kernel";
import { Outbox } from "../../src/host/outbox.ts";
import type { StreamName } from "../../src/log/log.ts";
import { sending } from "../log/outbox-contract.ts";
import { HeldLog } from "../support/held-log.ts";
import { answered, TestClock, turns, watched } from "../support/test-clock.ts";

interface Parcel {
  readonly to: StreamName;
  readonly from: StreamName;
  readonly texts: readonly unknown[];
  /** Says that it has arrived, or why not. */
  answer(refusal?: Refusal): void;
}

const damaged: Refusal = { code: "log.damaged", message: "It cannot be read." };
const later: Refusal = { code: "log.unavailable", message: "Later, please.", retryable: true };
const unknown: Refusal = { code: "ladder.not-found", message: "There is no such ladder." };
const repeated: Refusal = { code: "delivery.repeated", message: "This was counted before." };

/** An outbox on a log and a clock that the test holds in its hand. */
class Post {
  readonly log = new HeldLog();
  readonly clock = new TestClock();
  readonly errors: Error[] = [];
  /** All that was ever taken to its stream. */
  readonly parcels: Parcel[] = [];
  /** While true, parcels wait for the test to answer them. */
  holding = false;
  /** What is answered while nothing is held. */
  refusal: Refusal | undefined;
  readonly #versions = new Map<string, number>();
  readonly outbox = new Outbox({
    log: this.log,
    clock: this.clock,
    deliver: (to, from, deliveries) => this.#deliver(to, from, deliveries),
    onError: (error) => this.errors.push(error as Error),
  });

  #deliver(to: StreamName, from: StreamName, deliveries: readonly Delivery[]): Promise<Refusal | undefined> {
    return new Promise((resolve) => {
      const texts = deliveries.map(({ body }) => body.text);
      this.parcels.push({ to, from, texts, answer: resolve });
      if (!this.holding) resolve(this.refusal);
    });
  }

  /** An entry that causes these things. */
  async send(from: StreamName, to: StreamName, ...texts: string[]): Promise<void> {
    const after = this.#versions.get(from) ?? 0;
    this.#versions.set(from, after + texts.length);
    assert.deepEqual(await this.log.inner.append([sending(from, texts, to, after)]), ["appended"]);
  }

  get told(): string[] {
    return this.parcels.map(({ from, to, texts }) => `${from} to ${to}: ${texts.join(" ")}`);
  }

  async waiting(): Promise<unknown[]> {
    return (await this.log.inner.outbox(0, 10_000)).map(({ body }) => body.text);
  }
}

describe("the outbox", () => {
  test("[LD12] all that waits is delivered in its order, one parcel a route, and is then struck off", async () => {
    const post = new Post();
    await post.send("arena/a", "ladder/l", "a1", "a2");
    await post.send("arena/b", "ladder/l", "b1");
    await post.send("arena/a", "ladder/m", "a3");
    await post.send("arena/a", "ladder/l", "a4");
    post.outbox.wake();
    await turns();
    assert.deepEqual(post.told, [
      "arena/a to ladder/l: a1 a2 a4",
      "arena/b to ladder/l: b1",
      "arena/a to ladder/m: a3",
    ]);
    assert.deepEqual(await post.waiting(), []);
    assert.equal(post.clock.timers, 0, "nothing to be tried again");
    assert.deepEqual(post.errors, []);
    assert.deepEqual(post.outbox.counts, { arrived: 5, refused: 0, held: 0 });
  });

  test("[LD12] more than a page holds comes in its order as well", async () => {
    const post = new Post();
    const texts = Array.from({ length: 1_234 }, (_, index) => `t${index}`);
    await post.send("arena/a", "ladder/l", ...texts);
    post.outbox.wake();
    await turns(40);
    assert.deepEqual(
      post.parcels.flatMap((parcel) => parcel.texts),
      texts,
    );
    assert.ok(post.parcels.length > 1);
    assert.deepEqual(await post.waiting(), []);
  });

  test("[LD12] while one parcel of a route is on its way, no other of that route is", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", "one");
    post.outbox.wake();
    await turns();
    await post.send("arena/a", "ladder/l", "two");
    for (let again = 0; again < 3; again++) post.outbox.wake();
    await turns();
    assert.deepEqual(post.told, ["arena/a to ladder/l: one"]);
    post.holding = false;
    post.parcels[0].answer();
    await turns();
    assert.deepEqual(post.told, ["arena/a to ladder/l: one", "arena/a to ladder/l: two"]);
    assert.deepEqual(await post.waiting(), []);
  });

  test("[LD12] what comes while it is delivering is delivered without another call", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", "one");
    post.outbox.wake();
    await turns();
    await post.send("arena/b", "ladder/l", "two");
    post.outbox.wake();
    post.holding = false;
    post.parcels[0].answer();
    await turns();
    assert.deepEqual(await post.waiting(), []);
  });

  for (const refusal of [later, damaged, { code: "server.fault", message: "A fault." } as Refusal]) {
    test(`[LD12] refused with ${refusal.code} it is tried again, less and less often, and nothing overtakes it`, async () => {
      const post = new Post();
      post.refusal = refusal;
      await post.send("arena/a", "ladder/l", "one");
      post.outbox.wake();
      await turns();
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
      post.outbox.wake();
      await turns();
      assert.equal(post.parcels.length, tried, "what came meanwhile is no reason to try again");
      post.refusal = undefined;
      await post.clock.advance(60_000);
      assert.deepEqual(post.parcels.at(-1)!.texts, ["one", "two"]);
      assert.deepEqual(await post.waiting(), []);
      assert.equal(post.clock.timers, 0);
    });
  }

  test("[LD12] when the time to try again comes while others are being served, nothing overtakes either", async () => {
    const post = new Post();
    post.refusal = later;
    await post.send("arena/a", "ladder/l", "one");
    post.outbox.wake();
    await turns();
    // Another route is on its way when the time comes.
    post.refusal = undefined;
    post.holding = true;
    await post.send("arena/b", "ladder/l", "other");
    post.outbox.wake();
    await turns();
    await post.clock.advance(1_000);
    await post.send("arena/a", "ladder/l", "two");
    post.holding = false;
    post.parcels.at(-1)!.answer();
    await turns();
    assert.deepEqual(post.told.slice(2), ["arena/a to ladder/l: one two"]);
    assert.deepEqual(await post.waiting(), []);
  });

  test("[LD12] once something has arrived, the next trouble is tried again as soon as the first was", async () => {
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
    post.outbox.wake();
    await turns();
    const before = post.parcels.length;
    await post.clock.advance(1_000);
    assert.equal(post.parcels.length, before + 1);
  });

  test("[LD12] a route that is held up holds up no other, also behind more than a page of it", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", ...Array.from({ length: 600 }, (_, index) => `a${index}`));
    await post.send("arena/b", "ladder/l", "b");
    post.outbox.wake();
    await turns();
    post.holding = false;
    post.parcels[0].answer(damaged);
    await turns();
    assert.deepEqual(post.told.slice(1), ["arena/b to ladder/l: b"]);
    assert.equal((await post.waiting()).length, 600);
    assert.deepEqual(post.outbox.counts, { arrived: 1, refused: 0, held: 1 });
    await post.clock.advance(1_000);
    assert.deepEqual(post.outbox.counts, { arrived: 601, refused: 0, held: 0 });
  });

  test("[LD12] while the log is down it is tried again, and all arrives when it is back", async () => {
    const post = new Post();
    await post.send("arena/a", "ladder/l", "one");
    post.log.down = true;
    post.outbox.wake();
    for (let second = 0; second < 5; second++) await post.clock.advance(1_000);
    assert.deepEqual(post.parcels, []);
    assert.ok(post.errors.length >= 2, "it is told of");
    post.log.down = false;
    await post.clock.advance(4_000);
    assert.deepEqual(post.told, ["arena/a to ladder/l: one"]);
    assert.deepEqual(await post.waiting(), []);
  });

  test("[LD12] what arrived and could not be struck off comes again, and is struck off then", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", "one");
    post.outbox.wake();
    await turns();
    post.log.down = true;
    post.parcels[0].answer();
    await turns();
    assert.deepEqual(await post.waiting(), ["one"]);
    const errors = post.errors.length;
    assert.ok(errors > 0, "that the log is down is told of");
    post.log.down = false;
    post.holding = false;
    post.refusal = repeated;
    await post.clock.advance(1_000);
    assert.deepEqual(post.told, ["arena/a to ladder/l: one", "arena/a to ladder/l: one"]);
    assert.deepEqual(await post.waiting(), []);
    assert.equal(post.errors.length, errors, "that it was repeated is no error");
  });

  test("[LD12] what is refused for good is told of, set aside and never tried again", async () => {
    const post = new Post();
    post.refusal = unknown;
    await post.send("arena/a", "ladder/gone", "one", "two");
    post.outbox.wake();
    await turns();
    assert.equal(post.parcels.length, 1);
    assert.deepEqual(
      post.errors.map(({ message }) => message),
      ["What arena/a sent to ladder/gone was refused: There is no such ladder."],
    );
    assert.deepEqual(await post.waiting(), []);
    assert.deepEqual(post.outbox.counts, { arrived: 0, refused: 2, held: 0 });
    post.refusal = undefined;
    post.outbox.wake();
    await post.clock.advance(600_000);
    assert.equal(post.parcels.length, 1);
    await post.send("arena/a", "ladder/l", "three");
    post.outbox.wake();
    await turns();
    assert.deepEqual(post.parcels[1].texts, ["three"]);
  });

  test("[LD12] a stop waits for what is on its way, and begins nothing more", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", "one");
    post.outbox.wake();
    await turns();
    const stopped = watched(post.outbox.stop());
    await post.send("arena/a", "ladder/l", "two");
    post.outbox.wake();
    await turns();
    assert.ok(!stopped.settled, "it has left something half done");
    post.parcels[0].answer();
    await answered(stopped.promise);
    assert.deepEqual(post.told, ["arena/a to ladder/l: one"]);
    assert.deepEqual(await post.waiting(), ["two"]);
    post.outbox.wake();
    await post.clock.advance(600_000);
    assert.equal(post.parcels.length, 1);
    assert.equal(post.clock.timers, 0);
  });

  test("[LD12] a stop does not wait for the next try", async () => {
    const post = new Post();
    post.refusal = later;
    await post.send("arena/a", "ladder/l", "one");
    post.outbox.wake();
    await turns();
    assert.equal(post.clock.timers, 1);
    await answered(post.outbox.stop());
    assert.equal(post.clock.timers, 0);
    assert.deepEqual(await post.waiting(), ["one"]);
  });

  test("[LD12] a stop while some cannot be struck off waits for the others on their way", async () => {
    const post = new Post();
    post.holding = true;
    await post.send("arena/a", "ladder/l", "one");
    await post.send("arena/b", "ladder/m", "two");
    post.outbox.wake();
    await turns();
    post.log.down = true;
    post.parcels[0].answer();
    await turns();
    const stopped = watched(post.outbox.stop());
    await turns();
    assert.ok(!stopped.settled, "a parcel is on its way still");
    post.parcels[1].answer(repeated);
    await answered(stopped.promise);
  });
});
