import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { Alarm } from "../../src/host/commit/alarm.ts";
import { answered, TestClock, turns } from "../support/test-clock.ts";
import { codeOf, entriesOf, Stage } from "./stage.ts";

const minute = 60_000;
const week = 7 * 24 * 60 * minute;

/** How a game ended, according to the log. */
async function endOf(stage: Stage, id: string) {
  const entries = await entriesOf(stage.log, `game/${id}`);
  const ends = entries.filter(({ events }) => events.some(({ type }) => type === "ended"));
  assert.ok(ends.length <= 1, "a game ended twice");
  return ends[0] && { at: ends[0].at, by: ends[0].by };
}

describe("timers", () => {
  test("[LM7] a person's game that nobody joins ends after a week; a service's game stays", async () => {
    const stage = new Stage({ idleMs: minute });
    await stage.host.start();
    const start = stage.clock.now();
    for (const [id, creator] of [["mine", "carol"] as const, ["theirs", "@service"] as const])
      await stage.created(id, { creator });
    await stage.created("used");
    await answered(stage.join("used", "ann"));
    await stage.clock.advance(week - 1);
    assert.equal(await endOf(stage, "mine"), undefined);
    assert.equal(stage.host.residentStreams, 0, "none of them needs to stay in memory");
    await stage.clock.advance(1);
    assert.deepEqual(await endOf(stage, "mine"), { at: start + week, by: "@clock" });
    const open = await stage.games.list({ limit: 9, status: "OPEN" });
    assert.deepEqual(
      open.map(({ stream }) => stream),
      ["game/used", "game/theirs"],
    );
    assert.equal(codeOf(await answered(stage.join("mine", "ann"))), "room.ended");
    await stage.stop();
  });

  test("[RM7] a command or read at the end time finds the game ended before any alarm", async () => {
    const stage = new Stage();
    await stage.created("g", { endsIn: minute });
    await stage.created("h", { endsIn: minute });
    stage.clock.jump(minute - 1);
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 1, seated: 0, ended: false } });
    stage.clock.jump(1);
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 2, seated: 0, ended: true } });
    assert.equal(codeOf(await answered(stage.join("h", "ann"))), "room.ended");
    assert.deepEqual(
      (await entriesOf(stage.log, "game/h")).map(({ by }) => by),
      ["carol", "@clock"],
    );
  });

  test("[RM7] when the clock is set forward past the end, the game ends within a minute", async () => {
    const stage = new Stage();
    await stage.host.start();
    await stage.created("g", { endsIn: 60 * minute });
    await stage.clock.advance(1_000);
    stage.clock.jump(2 * 60 * minute);
    await stage.clock.advance(minute);
    assert.ok(await endOf(stage, "g"));
    await stage.stop();
  });

  test("[RM7] when the clock is set back, the log is asked again within a minute, not when the old time returns", async () => {
    const clock = new TestClock();
    let rings = 0;
    const alarm = new Alarm(clock, () => rings++);
    alarm.setFor((clock.now() + 2 * minute) as Millis);
    clock.jump(-600 * minute);
    await clock.advance(minute);
    assert.equal(rings, 1);
  });

  test("[RM7] an end far beyond what a timer can hold does not fire early", async () => {
    const stage = new Stage();
    await stage.host.start();
    await stage.created("g", { endsIn: 60 * 24 * 60 * minute });
    await stage.clock.advance(60 * minute);
    assert.equal(await endOf(stage, "g"), undefined);
    assert.ok(stage.clock.timers <= 2);
    await stage.stop();
  });

  test("[RM7] no timer is left after a stop", async () => {
    const stage = new Stage();
    await stage.host.start();
    await stage.created("g", { endsIn: minute });
    stage.log.holding = true;
    const made = stage.create("h", { endsIn: minute });
    await turns();
    const stopping = stage.stop();
    stage.log.releaseAll();
    await stopping;
    await answered(made);
    assert.equal(stage.clock.timers, 0, "a timer keeps the process alive");
    const { length } = stage.log.calls;
    await stage.clock.advance(10 * minute);
    assert.equal(stage.log.calls.length, length);
  });
});
