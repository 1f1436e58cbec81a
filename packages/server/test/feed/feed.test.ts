import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { watchLimits } from "../../src/feed/watch.ts";
import { answered, turns } from "../support/test-clock.ts";
import { numbers, Reader, theatre } from "./theatre.ts";

describe("following a room", () => {
  test("[FD1] from any version, every later change comes once and in order, and then new ones", async () => {
    const stage = await theatre();
    await stage.joins(2, 30);
    const readers = [0, 1, 7, 29, 30].map((after) => ({ after, reader: new Reader() }));
    for (const { after, reader } of readers) stage.watch(reader, after);
    await turns(30);
    await stage.joins(31, 35);
    await stage.joins(36, 36);
    for (const { after, reader } of readers) assert.equal(reader.versions, numbers(after + 1, 36));
    assert.equal(stage.views, 0);
  });

  test("[FD1] without a version a view comes first, and every change after it", async () => {
    const stage = await theatre();
    await stage.joins(2, 10);
    const reader = new Reader();
    stage.watch(reader);
    await turns();
    await stage.joins(11, 13);
    assert.equal(reader.versions, "view 10 11 12 13");
  });

  test("[FD1] at any moment of a busy room a new subscriber misses nothing", async () => {
    const stage = await theatre();
    const readers: { reader: Reader; after: number }[] = [];
    for (let round = 0; round < 60; round++) {
      const asks = Array.from({ length: 1 + (round % 4) }, (_, number) =>
        stage.join("g", `r${round}-${number}`),
      );
      for (let turn = 0; turn < round % 5; turn++) await turns(1);
      const { version } = (await stage.log.head("game/g"))!;
      const after = Math.max(0, version - (round % 9));
      const reader = new Reader();
      readers.push({ reader, after });
      stage.watch(reader, after);
      await answered(Promise.all(asks));
    }
    await turns(60);
    const { version } = (await stage.log.head("game/g"))!;
    for (const { reader, after } of readers) assert.equal(reader.versions, numbers(after + 1, version));
  });

  test("[FD1] a version past the head belongs to an earlier room of this id: the view corrects it", async () => {
    const stage = await theatre();
    await stage.joins(2, 5);
    const reader = new Reader();
    stage.watch(reader, 900);
    await turns();
    await stage.joins(6, 7);
    assert.equal(reader.versions, "view 5 6 7");
  });

  test("[FD1] a closed subscriber gets nothing more, and is released", async () => {
    const stage = await theatre();
    const [gone, there] = [new Reader(), new Reader()];
    const watch = stage.watch(gone, 1);
    stage.watch(there, 1);
    await turns();
    await stage.joins(2, 2);
    watch.close();
    await stage.joins(3, 3);
    assert.deepEqual([gone.versions, there.versions, stage.hub.size], ["2", "2 3", 1]);
  });
});

describe("slow subscribers", () => {
  test("[FD2] a slow subscriber gets nothing more until it drains, then everything it missed; the others do not wait", async () => {
    const stage = await theatre();
    stage.weight = 10_000;
    const [slow, quick] = [new Reader(), new Reader()];
    stage.watch(slow, 1);
    stage.watch(quick, 1);
    await turns();
    slow.isSlow = true;
    for (let version = 2; version <= 100; version++) await stage.joins(version, version);
    assert.equal(quick.versions, numbers(2, 100));
    const got = slow.got.length;
    assert.ok(slow.backlogBytes <= watchLimits.backlogBytesMax + stage.weight, "its backlog is bounded");
    assert.ok(got < 40);
    await stage.clock.advance(10_000);
    assert.equal(slow.got.length, got);
    slow.drain();
    await stage.clock.advance(watchLimits.drainCheckMs * 2);
    await turns(30);
    await stage.joins(101, 103);
    assert.equal(slow.versions, numbers(2, 103));
    assert.deepEqual(slow.dropped, []);
  });

  test("[FD2] a slow subscriber that is far behind is fed page by page, no faster than it reads", async () => {
    const stage = await theatre();
    stage.weight = 1_000;
    await stage.joins(2, 4_000);
    const reader = new Reader();
    reader.isSlow = true;
    stage.watch(reader, 0);
    await turns(60);
    const page = 500 * stage.weight + 4_096 * stage.weight; // a page ends with a whole batch
    assert.ok(reader.backlogBytes <= watchLimits.backlogBytesMax + page);
    for (let round = 0; round < 40 && reader.got.length < 4_000; round++) {
      reader.backlogBytes = 0;
      await stage.clock.advance(watchLimits.drainCheckMs);
    }
    assert.equal(reader.versions, numbers(1, 4_000));
  });

  test("[FD2] a subscriber that is too far behind gets a view instead of every change, and continues from it", async () => {
    const stage = await theatre();
    const reader = new Reader();
    stage.watch(reader, 1);
    await turns();
    await stage.joins(2, 3);
    reader.backlogBytes = watchLimits.backlogBytesMax + 1;
    await stage.joins(4, 4 + watchLimits.catchUpEntriesMax);
    assert.equal(reader.versions, "2 3");
    reader.drain();
    await stage.clock.advance(watchLimits.drainCheckMs);
    await turns(30);
    const head = 4 + watchLimits.catchUpEntriesMax;
    await stage.joins(head + 1, head + 2);
    assert.equal(reader.versions, `2 3 view ${head} ${head + 1} ${head + 2}`);
  });

  test("[FD2] a subscriber that reads nothing for 30 seconds is dropped with a reason, and sent nothing more", async () => {
    const stage = await theatre();
    const reader = new Reader();
    stage.watch(reader, 1);
    await turns();
    reader.backlogBytes = watchLimits.backlogBytesMax + 1;
    await stage.joins(2, 3);
    await stage.clock.advance(watchLimits.stuckMsMax - 1_000);
    assert.deepEqual(reader.dropped, []);
    await stage.clock.advance(2_000);
    assert.equal(reader.dropped.length, 1);
    assert.match(reader.dropped[0], /reading too slowly/);
    reader.drain();
    await stage.joins(4, 6);
    await stage.clock.advance(5_000);
    assert.equal(reader.got.length, 0);
    assert.equal(reader.dropped.length, 1);
    assert.equal(stage.clock.timers, 0, "nothing keeps waiting for it");
  });

  test("[FD2] an unreadable log drops a subscriber that has to catch up, not those at the head", async () => {
    const stage = await theatre();
    await stage.joins(2, 10);
    const [atHead, behind] = [new Reader(), new Reader()];
    stage.watch(atHead, 10);
    await turns();
    stage.log.down = true;
    stage.watch(behind, 2);
    await turns();
    stage.log.down = false;
    assert.equal(behind.dropped.length, 1);
    assert.ok(
      behind.got.every(({ type }) => type === "view"),
      "no change arrived out of order",
    );
    await stage.joins(11, 12);
    assert.equal(atHead.versions, "11 12");
  });

  test("[FD1] a subscriber that returns while the log cannot be read is dropped, and not shown a view instead of the changes", async () => {
    const stage = await theatre();
    await stage.joins(2, 10);
    const [early, later] = [new Reader(), new Reader()];
    stage.log.down = true;
    stage.watch(early, 5);
    // Only the first read fails.
    queueMicrotask(() => {
      stage.log.down = false;
    });
    await turns();
    assert.equal(early.versions, "");
    assert.equal(early.dropped.length, 1);
    stage.watch(later, 5);
    await turns();
    assert.equal(later.versions, "6 7 8 9 10");
  });
});
