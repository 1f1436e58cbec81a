import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { QueueEvent } from "@openseat/kernel";
import { LineBroadcast, type LineSubscriber, pulseLimits } from "../../src/feed/line-broadcast.ts";
import type { Entry } from "../../src/log/entry.ts";
import { range } from "../support/http.ts";
import { TestClock, turns } from "../support/test-clock.ts";

/** A follower of the line, who may be slow. */
class Follower implements LineSubscriber {
  readonly pulses: { at: number; json: string }[] = [];
  touches = 0;
  backlogBytes = 0;
  readonly #clock: TestClock;

  constructor(clock: TestClock) {
    this.#clock = clock;
  }

  pulse(json: string): void {
    this.pulses.push({ at: this.#clock.now(), json });
  }

  touched(): void {
    this.touches++;
  }
}

/** A LineBroadcast of lines that a test controls. */
class Stage {
  readonly clock = new TestClock();
  readonly errors: unknown[] = [];
  reads = 0;
  /** Awaited by each read. */
  reading: () => Promise<unknown> = async () => {};
  readonly #moved = new Map<string, number>();
  readonly lineBroadcast = new LineBroadcast(
    {
      heads: async (streams) =>
        streams.map((stream) => ({ version: this.#moved.get(stream) ?? 0, hash: "" })),
    },
    this.clock,
    async (stream) => {
      this.reads++;
      const seen = this.#moved.get(stream);
      await this.reading();
      return seen === undefined ? undefined : `${stream} ${seen}`;
    },
    (error) => void this.errors.push(error),
  );

  follow(ticket?: number, stream: "queue/q" | "queue/other" = "queue/q") {
    const follower = new Follower(this.clock);
    return { follower, ...this.lineBroadcast.subscribe(stream, follower, ticket) };
  }

  /** An entry becomes durable. */
  move(events: readonly object[] = [], stream: "queue/q" | "queue/other" = "queue/q"): void {
    this.publish(this.grow(stream), [events], stream);
  }

  /** An entry becomes durable without a publication. */
  grow(stream = "queue/q"): number {
    const version = (this.#moved.get(stream) ?? 0) + 1;
    this.#moved.set(stream, version);
    return version;
  }

  /** Publishes these: each with its events, the first of this version. */
  publish(
    first: number,
    all: readonly (readonly object[])[],
    stream: "queue/q" | "queue/other" = "queue/q",
  ): void {
    const entries = all.map((events, index) => ({ version: first + index, events: events as QueueEvent[] }));
    this.lineBroadcast.publish({ stream, entries: entries as unknown as Entry[] });
  }
}

describe("the pulse of a line", () => {
  test("[FD3] is sent at once after a quiet time, the same text for all, read once", async () => {
    const stage = new Stage();
    const followers = range(50).map(() => stage.follow().follower);
    stage.move();
    await stage.clock.advance(0);
    assert.equal(stage.reads, 1);
    for (const { pulses } of followers)
      assert.deepEqual(
        pulses.map(({ json }) => json),
        ["queue/q 1"],
      );
  });

  test("[FD3] is sent at most four times per second, and the last one is complete", async () => {
    const stage = new Stage();
    const { follower } = stage.follow();
    for (const _ of range(1_000)) {
      stage.move();
      await stage.clock.advance(10);
    }
    await stage.clock.advance(1_000);
    const { pulses } = follower;
    assert.ok(pulses.length >= 40 && pulses.length <= 42, `${pulses.length} pulses in ten seconds`);
    for (const [index, { at }] of pulses.entries())
      if (index > 0) assert.ok(at - pulses[index - 1].at >= 250, `${at - pulses[index - 1].at} ms apart`);
    assert.equal(pulses.at(-1)!.json, "queue/q 1000");
    await stage.clock.advance(60_000);
    assert.equal(follower.pulses.length, pulses.length, "without changes there are no pulses");
    assert.equal(stage.clock.timers, 0);
  });

  test("[FD3] changes during a read get another pulse", async () => {
    const stage = new Stage();
    const { follower } = stage.follow();
    let goOn = () => {};
    stage.reading = () => new Promise<void>((resolve) => (goOn = resolve));
    stage.move();
    await stage.clock.advance(0);
    stage.move();
    stage.reading = async () => {};
    goOn();
    await turns();
    assert.deepEqual(
      follower.pulses.map(({ json }) => json),
      ["queue/q 1"],
    );
    await stage.clock.advance(249);
    assert.equal(follower.pulses.length, 1);
    await stage.clock.advance(1);
    assert.equal(follower.pulses.at(-1)!.json, "queue/q 2");
  });

  test("[FD3] [LM2] is sent to twenty thousand followers once per second", async () => {
    const stage = new Stage();
    const followers = range(20_000).map(() => stage.follow().follower);
    for (const _ of range(30)) {
      stage.move();
      await stage.clock.advance(100);
    }
    await stage.clock.advance(1_000);
    const { pulses } = followers[19_999];
    assert.deepEqual(
      pulses.map(({ at }) => at - pulses[0].at),
      [0, 1_000, 2_000, 3_000],
    );
  });

  test("[FD3] a person whose place has changed is notified at once, and nobody else", async () => {
    const stage = new Stage();
    const [one, two, three] = [1, 2, 3].map((ticket) => stage.follow(ticket).follower);
    const [tab, none] = [stage.follow(2).follower, stage.follow().follower];
    stage.move([{ type: "entered", ticket: 3 }]);
    stage.move([
      { type: "expired", tickets: [1, 9] },
      { type: "admitted", tickets: [2, 7] },
    ]);
    stage.move([{ type: "configured" }]);
    assert.deepEqual(
      [one, two, tab, three, none].map(({ touches }) => touches),
      [1, 1, 1, 1, 0],
    );
    assert.equal(stage.reads, 0, "before any pulse");
  });

  test("[FD3] lines do not mix, and a line without followers costs nothing", async () => {
    const stage = new Stage();
    const { follower } = stage.follow(1);
    for (const _ of range(10)) stage.move([{ type: "admitted", tickets: [1] }], "queue/other");
    stage.lineBroadcast.catchUp("queue/other");
    await stage.clock.advance(10_000);
    assert.deepEqual([stage.reads, follower.touches, follower.pulses.length], [0, 0, 0]);
    assert.equal(stage.clock.timers, 0);
  });

  test("[FD2] a follower that does not read gets nothing more until it does; the others do not wait", async () => {
    const stage = new Stage();
    const [slow, other] = [stage.follow().follower, stage.follow().follower];
    slow.backlogBytes = pulseLimits.backlogBytesMax + 1;
    for (const _ of range(20)) {
      stage.move();
      await stage.clock.advance(250);
    }
    assert.deepEqual([slow.pulses.length, other.pulses.length], [0, 20]);
    slow.backlogBytes = pulseLimits.backlogBytesMax;
    stage.move();
    await stage.clock.advance(250);
    assert.deepEqual(
      slow.pulses.map(({ json }) => json),
      ["queue/q 21"],
      "the next pulse covers everything missed",
    );
  });

  test("[FD1] after an append that seemed to fail, all followers are notified, and there is a pulse", async () => {
    const stage = new Stage();
    const followers = range(3).map((index) => stage.follow(index).follower);
    stage.move();
    await stage.clock.advance(1_000);
    stage.lineBroadcast.catchUp("queue/q");
    await stage.clock.advance(0);
    for (const { touches, pulses } of followers) assert.deepEqual([touches, pulses.length], [1, 2]);
  });

  test("a line that cannot be read is logged, and the next pulse is tried", async () => {
    const stage = new Stage();
    const { follower } = stage.follow();
    stage.reading = () => Promise.reject(new Error("The disk is gone."));
    stage.move();
    await stage.clock.advance(1_000);
    assert.equal(stage.errors.length, 1);
    stage.reading = async () => {};
    stage.move();
    await stage.clock.advance(1_000);
    assert.deepEqual(
      follower.pulses.map(({ json }) => json),
      ["queue/q 2"],
    );
  });

  test("[LM2] a follower that stops gets nothing more and is released, also if it stops twice", async () => {
    const stage = new Stage();
    const first = stage.follow(1);
    const second = stage.follow(1);
    assert.equal(stage.lineBroadcast.size, 2);
    first.close();
    first.close();
    stage.move([{ type: "admitted", tickets: [1] }]);
    await stage.clock.advance(0);
    assert.deepEqual([first.follower.touches, first.follower.pulses.length], [0, 0]);
    assert.deepEqual([second.follower.touches, second.follower.pulses.length], [1, 1]);
    second.close();
    assert.equal(stage.lineBroadcast.size, 0);
    const third = stage.follow(1);
    first.close();
    second.close();
    stage.move([{ type: "left", ticket: 1 }]);
    await stage.clock.advance(1_000);
    assert.deepEqual([third.follower.touches, third.follower.pulses.length], [1, 1]);
    assert.equal(stage.lineBroadcast.size, 1);
  });

  test("[FD3] a follower that leaves or arrives during a pulse does no harm", async () => {
    const stage = new Stage();
    const [leaver, stayer] = [stage.follow(1), stage.follow(2)];
    leaver.follower.pulse = () => {
      leaver.close();
      stage.follow(3);
    };
    stage.move([{ type: "admitted", tickets: [1, 2] }]);
    await stage.clock.advance(0);
    assert.equal(stayer.follower.pulses.length, 1);
    assert.equal(stage.lineBroadcast.size, 2);
  });
});

describe("the pulse of a line that other nodes write to", () => {
  const touch = (...tickets: number[]) => [{ type: "admitted", tickets }];

  test("[FD3] [CL1] of an overlapping batch only the new entries are published; late or repeated ones are not", async () => {
    const stage = new Stage();
    const followers = [1, 2, 3].map((ticket) => stage.follow(ticket).follower);
    const touches = () => followers.map((follower) => follower.touches);
    for (const _ of range(4)) stage.grow();
    stage.publish(1, [touch(1)]);
    stage.publish(1, [touch(1), touch(2)]);
    stage.publish(2, [touch(2), touch(3), touch(1)]);
    assert.deepEqual(touches(), [2, 1, 1]);
    await stage.clock.advance(1_000);
    const { reads } = stage;
    for (const version of [1, 3]) stage.publish(version, [touch(1, 2, 3)]);
    stage.lineBroadcast.catchUp("queue/q", 4);
    await stage.clock.advance(1_000);
    assert.deepEqual([...touches(), stage.reads], [2, 1, 1, reads], "no pulse either");
  });

  test("[FD3] [CL1] after a gap, all followers are notified", async () => {
    const stage = new Stage();
    const followers = [1, 2].map((ticket) => stage.follow(ticket).follower);
    stage.move();
    for (const _ of range(3)) stage.grow();
    stage.publish(4, [[]]);
    await stage.clock.advance(1_000);
    assert.deepEqual(
      followers.map(({ touches }) => touches),
      [1, 1],
    );
    stage.publish(2, [touch(1), touch(2)]);
    await stage.clock.advance(1_000);
    assert.deepEqual(
      followers.map(({ touches }) => touches),
      [1, 1],
      "the missing entries were checked",
    );
  });

  test("[FD3] [CL1] a hint that the line has advanced is enough; repeated hints notify no more often than pulses", async () => {
    const stage = new Stage();
    const { follower } = stage.follow(1);
    for (const _ of range(100)) {
      stage.lineBroadcast.catchUp("queue/q", stage.grow());
      await stage.clock.advance(10);
    }
    await stage.clock.advance(1_000);
    assert.deepEqual([follower.pulses.at(-1)!.json, follower.pulses.length], ["queue/q 100", 5]);
    assert.equal(follower.touches, 5);
  });

  test("[FD3] [CL1] if hints may be lost, followers of lines that have advanced are notified, once", async () => {
    const stage = new Stage();
    const [one, other] = [stage.follow(1).follower, stage.follow(1, "queue/other").follower];
    stage.move();
    stage.grow();
    for (const _ of range(3)) {
      stage.lineBroadcast.catchUpAll();
      await stage.clock.advance(5_000);
    }
    assert.deepEqual([one.touches, one.pulses.at(-1)!.json], [1, "queue/q 2"]);
    assert.deepEqual([other.touches, other.pulses.length], [0, 0]);
  });
});
