import assert from "node:assert/strict";
import { test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { StreamTime } from "../../src/host/stream/stream-time.ts";
import { answered, TestClock } from "../support/test-clock.ts";
import { type LeasedEvent, LeaseStage, windowMs } from "./leased-room.ts";

const day = 24 * 60 * 60 * 1000;
const start = 1_700_000_000_000;
const millis = (value: number) => value as Millis;

function stage() {
  const clock = new TestClock(start);
  const time = new StreamTime(clock);
  return { clock, at: (newest: number) => time.at(clock.now(), millis(newest)) - start, time };
}

test("[CK3] a stream uses the clock's time unless its newest entry is ahead", async () => {
  const { clock, at } = stage();
  assert.equal(at(start), 0);
  await clock.advance(70_000);
  assert.equal(at(start), 70_000);
  assert.equal(at(start + 69_000), 70_000);
  clock.jump(day);
  assert.equal(at(start + 70_000), day + 70_000, "a clock that is set forward is followed");
});

test("[CK3] the time of a stream that is ahead continues a tenth slower from its newest entry", async () => {
  for (const ahead of [2 * day, 27_000 * day]) {
    const { clock, at } = stage();
    assert.equal(at(start + ahead), ahead);
    await clock.advance(10_000);
    assert.equal(at(start + ahead), ahead + 9_000);
    assert.equal(at(start + ahead + 9_000), ahead + 9_000, "also after another entry");
    await clock.advance(10_000);
    assert.equal(at(start + ahead + 9_000), ahead + 18_000);
    assert.equal(
      at(start + ahead + 60_000),
      ahead + 60_000,
      "an entry of another node that was further ahead",
    );
    clock.jump(ahead + day);
    assert.equal(at(start + ahead + 60_000), ahead + day + 20_000, "until the clock has caught up");
  }
});

test("[CK3] a wrong clock has no effect if nothing was written meanwhile", async () => {
  const { clock, at } = stage();
  at(start);
  clock.jump(30 * day);
  assert.equal(at(start), 30 * day);
  clock.jump(-30 * day);
  await clock.advance(1_000);
  assert.equal(at(start), 1_000);
});

test("[CK3] [CL5] a stream that is ahead is woken when its own time is due", async () => {
  const { clock, time } = stage();
  const newest = millis(start + 30 * day);
  const byClock = (due: number) => time.byClock(millis(due), clock.now(), newest) - start;
  assert.equal(byClock(newest + 9_000), 10_000);
  assert.equal(byClock(newest - 1), -1, "overdue rooms are woken at once");
  clock.jump(31 * day);
  assert.equal(byClock(newest + 9 * day), 39 * day, "once it is no longer ahead, it uses the clock's time");
});

/** A room created while the clock was 30 days ahead, which is due 20 seconds later. */
async function roomAhead(): Promise<LeaseStage> {
  const stage = new LeaseStage();
  await stage.host.start();
  stage.clock.jump(30 * day);
  await stage.opened("r", { due: stage.clock.now() + 20_000 });
  return stage;
}

async function typesIn(stage: LeaseStage): Promise<string[]> {
  const entries: LeasedEvent[] = [];
  for await (const { events } of stage.rooms.entriesAfter("r", 0)) entries.push(...events);
  return entries.map(({ type }) => type);
}

test("[CK3] [AD4] a room with people keeps going after a restart with a corrected clock", async () => {
  const before = await roomAhead();
  const ticket = await before.enter("r");
  await before.stop();
  before.clock.jump(-30 * day);
  const aheads: number[] = [];
  const after = before.another({ onAhead: (_, aheadMs) => aheads.push(aheadMs) });
  after.hold("r", ticket);
  await after.host.start();
  await after.clock.advance(2 * windowMs);
  assert.deepEqual(await typesIn(after), ["open", "enter", "tick"], "nobody has sent a request");
  assert.equal(aheads.length, 1);
  assert.ok(Math.abs(aheads[0] - 30 * day) < 1_000);
  await after.stop();
});

test("[CK3] [CL5] a room that is ahead is woken after a write, even when evicted", async () => {
  const stage = await roomAhead();
  stage.clock.jump(-30 * day);
  await stage.asked("r", { type: "change", windowMs });
  await stage.clock.advance(22_000);
  assert.deepEqual(await typesIn(stage), ["open", "change"], "20 of its seconds are 22.2 by the clock");
  await stage.clock.advance(1_500);
  assert.deepEqual(await typesIn(stage), ["open", "change", "tick"]);
  await stage.stop();
});

test("[CK3] readers of a room get its own time", async () => {
  const stage = await roomAhead();
  const { rooms, clock } = stage;
  clock.jump(-30 * day);
  const timeOf = async (id: string) => {
    const read = await answered(rooms.read(id, (_room, _version, now) => now));
    return "value" in read ? read.value - clock.now() : undefined;
  };
  assert.equal(await timeOf("r"), 30 * day);
  assert.equal(
    rooms.peek("r", (_room, _version, now) => now - clock.now()),
    30 * day,
  );
  assert.equal(await timeOf("other"), 0);
  await stage.stop();
});
