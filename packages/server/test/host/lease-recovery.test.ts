import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Listed, LogUnavailable } from "../../src/log/log.ts";
import type { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { answered, turns, watched } from "../support/test-clock.ts";
import { LeaseStage, leasedDecider, windowMs } from "./leased-room.ts";
import { codeOf } from "./stage.ts";

const minute = 60_000;

/** Times just before and just after everyone expires who has been silent since `windowMs` ago. */
async function assertFullWindow(stage: LeaseStage, id: string, tickets: readonly number[]): Promise<void> {
  await stage.clock.advance(windowMs - 1);
  assert.deepEqual(await stage.lapsed(id), []);
  await stage.clock.advance(1);
  assert.deepEqual(await stage.lapsed(id), tickets);
}

describe("after a fault", () => {
  test("[LS4] everybody has a full window again", async () => {
    let faults = 1;
    const room: typeof leasedDecider = {
      ...leasedDecider,
      decide(state, command, now) {
        if (command.type === "leave" && faults-- > 0) throw new Error("an impossible leave");
        return leasedDecider.decide(state, command, now);
      },
    };
    const stage = new LeaseStage({ deciders: { room } });
    await stage.crowded("r", 2);
    await stage.clock.advance(windowMs - 1);
    assert.equal(codeOf(await answered(stage.ask("r", { type: "leave", ticket: 1 }))), "server.fault");
    await stage.clock.advance(1_000);
    await assertFullWindow(stage, "r", [1, 2]);
  });
});

describe("memory", () => {
  test("[LG5][LS1] a room whose people must send heartbeats stays in memory even if idle, and is evicted after they have left", async () => {
    const stage = new LeaseStage({ idleMs: minute });
    await stage.host.start();
    await stage.crowded("r", 1);
    await stage.opened("empty");
    const hold = stage.hold("r", 1);
    await stage.clock.advance(10 * minute);
    assert.equal(stage.host.residentStreams, 1);
    hold.release();
    await stage.clock.advance(4 * minute);
    assert.deepEqual(await stage.lapsed("r"), [1]);
    assert.equal(stage.host.residentStreams, 0);
    await stage.stop();
  });

  test("[LM2] rooms that must stay do not count towards the limit, other rooms do", async () => {
    const stage = new LeaseStage({ residentStreamsMax: 20 });
    for (let number = 0; number < 40; number++) await stage.crowded(`full-${number}`, 1);
    const counts: number[] = [];
    for (let number = 0; number < 100; number++) {
      await stage.opened(`empty-${number}`);
      await stage.clock.advance(1);
      counts.push(stage.host.residentStreams - 40);
    }
    assert.deepEqual([Math.min(...counts.slice(20)), Math.max(...counts)], [19, 20]);
    let reads = 0;
    stage.log.beforeRead = () => {
      reads++;
    };
    for (let number = 0; number < 40; number++) await answered(stage.tickets(`full-${number}`));
    for (let number = 90; number < 100; number++) await answered(stage.tickets(`empty-${number}`));
    assert.equal(reads, 0, "rooms with people left memory, or too many others did");
  });
});

describe("a start", () => {
  test("[LS1][LS4] loads only rooms in which somebody must send heartbeats", async () => {
    const before = new LeaseStage();
    for (const id of ["a", "b"]) await before.crowded(id, 1);
    await before.opened("empty");
    await before.crowded("left", 1);
    await before.asked("left", { type: "leave", ticket: 1 });
    await before.stop();
    const after = before.another();
    await after.host.start();
    await turns();
    assert.equal(after.host.residentStreams, 2);
    await after.clock.advance(windowMs);
    for (const id of ["a", "b"]) assert.deepEqual(await after.lapsed(id), [1]);
    await after.stop();
  });

  test("[LS4] loads many rooms a few at a time, and answers requests meanwhile", async () => {
    const before = new LeaseStage();
    const ids = Array.from({ length: 1_200 }, (_, number) => `r${number}`);
    await answered(Promise.all(ids.map((id) => before.crowded(id, 1))));
    await before.stop();
    const after = before.another();
    const loading = new Set<string>();
    let [most, released] = [0, false];
    after.log.beforeRead = async (stream) => {
      loading.add(stream);
      most = Math.max(most, loading.size);
      while (!released && stream !== "room/r600") await turns(1);
      loading.delete(stream);
    };
    await after.host.start();
    await turns();
    assert.deepEqual(await answered(after.tickets("r600")), { value: [1] });
    assert.ok(most <= 5, `${most} at once`);
    released = true;
    for (let round = 0; round < 500 && after.host.residentStreams < ids.length; round++) await turns();
    assert.equal(after.host.residentStreams, ids.length);
    await after.stop();
  });

  test("[LS4] a log that cannot be listed or read at the start is retried", async () => {
    const before = new LeaseStage();
    await before.crowded("r", 1);
    await before.stop();
    const after = before.another();
    after.log.down = true;
    await after.host.start();
    await after.clock.advance(1_500);
    assert.ok(after.errors.length > 0);
    after.log.down = false;
    after.log.beforeRead = () => {
      throw new LogUnavailable("The disk is slow to come back.");
    };
    await after.clock.advance(2_000);
    after.log.beforeRead = () => {};
    await after.clock.advance(500);
    await assertFullWindow(after, "r", [1]);
    await after.stop();
  });

  test("[LS4] rooms from before leases existed are checked", async () => {
    const { presence: _, ...room } = leasedDecider;
    const before = new LeaseStage({ deciders: { room } });
    await before.crowded("r", 1);
    await before.stop();
    const after = before.another();
    await after.host.start();
    await turns();
    await assertFullWindow(after, "r", [1]);
    await after.stop();
  });

  test("[LG5] rooms that never need heartbeats are not loaded", async () => {
    const { presence: _, ...room } = leasedDecider;
    const before = new LeaseStage({ deciders: { room } });
    await before.crowded("r", 1);
    await before.stop();
    const after = before.another({ deciders: { room } });
    await after.host.start();
    await turns();
    assert.equal(after.host.residentStreams, 0);
    await after.stop();
  });

  test("[LS4] a damaged room does not prevent the others from being loaded", async () => {
    const before = new LeaseStage();
    for (const id of ["a", "b"]) await before.crowded(id, 1);
    await before.stop();
    const after = before.another();
    const inner = after.log.inner as MemoryLog;
    const { read } = inner;
    inner.read = (stream, from, limit) =>
      stream === "room/b" ? Promise.resolve([]) : read.call(inner, stream, from, limit);
    await after.host.start();
    await after.clock.advance(windowMs);
    assert.deepEqual(await after.lapsed("a"), [1]);
    assert.equal(after.errors.length, 1);
    await after.stop();
  });
});

describe("a stop", () => {
  test("[LG3][LS4] while the host is stopping nothing expires, and no timer is left", async () => {
    const stage = new LeaseStage();
    await stage.host.start();
    await stage.crowded("r", 20, { lapsesMax: 3, windowMs: 100 });
    await stage.crowded("s", 1, { windowMs: 100 });
    await stage.clock.advance(99);
    stage.log.holding = true;
    await stage.clock.advance(1);
    const entered = stage.ask("s", { type: "enter" });
    const stopped = watched(stage.host.stop());
    await stage.clock.advance(500);
    assert.equal(stopped.settled, false);
    stage.log.releaseAll();
    await answered(entered);
    await stage.clock.advance(500);
    assert.deepEqual([stopped.settled, stage.clock.timers], [true, 0], "a timer keeps the process alive");
    assert.deepEqual(await stage.lapsed("r"), [1, 2, 3], "what was already decided");
    assert.deepEqual(await stage.lapsed("s"), []);
  });

  test("[LG3] a stop waits for rooms being loaded, and loads no others", async () => {
    const before = new LeaseStage();
    for (let number = 0; number < 20; number++) await before.crowded(`r${number}`, 1);
    await before.stop();
    const after = before.another();
    after.log.isClosed = false;
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    after.log.beforeRead = () => gate;
    await after.host.start();
    await turns();
    const stopped = watched(after.stop());
    await after.clock.advance(1_000);
    assert.deepEqual([stopped.settled, after.log.isClosed], [false, false]);
    release();
    await answered(stopped.promise);
    assert.ok(after.host.residentStreams <= 4);
    assert.equal(after.clock.timers, 0);
  });

  test("[LG3] a stop waits for the list of rooms to load, even if it cannot be read", async () => {
    const stage = new LeaseStage();
    const { promise: listed, reject } = Promise.withResolvers<Listed[]>();
    stage.log.list = () => listed;
    await stage.host.start();
    await turns();
    const stopped = watched(stage.host.stop());
    await stage.clock.advance(100);
    assert.deepEqual([stopped.settled, stage.log.isClosed], [false, false]);
    reject(new LogUnavailable("The disk is gone."));
    await answered(stopped.promise);
    assert.equal(stage.clock.timers, 0);
  });

  test("[LG3] a stop does not wait for the next attempt to load a room", async () => {
    const stage = new LeaseStage();
    await stage.crowded("r", 1);
    stage.log.failing = true;
    assert.equal(codeOf(await answered(stage.ask("r", { type: "enter" }))), "log.unavailable");
    assert.ok(stage.clock.timers > 0);
    await answered(stage.host.stop());
    assert.equal(stage.clock.timers, 0);
  });
});
