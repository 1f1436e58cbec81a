import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { decodeEntry } from "../../src/log/entry.ts";
import { LogUnavailable } from "../../src/log/log.ts";
import { HeldLog } from "../support/held-log.ts";
import { answered, TestClock, turns } from "../support/test-clock.ts";
import {
  type Clocked,
  type ClockedCommand,
  type ClockedEvent,
  clockedDecider,
  turnMs,
} from "./clocked-room.ts";

type Options = Partial<Omit<HostOptions, "log" | "clock">>;

class ClockStage {
  readonly log: HeldLog;
  readonly clock: TestClock;
  readonly host: Host;
  readonly rooms;
  readonly started: Promise<void>;

  constructor(given: Options & { readonly log?: HeldLog; readonly clock?: TestClock } = {}) {
    this.log = given.log ?? new HeldLog();
    this.clock = given.clock ?? new TestClock();
    const decider = given.deciders ?? { room: clockedDecider };
    this.host = new Host({ ...given, log: this.log, clock: this.clock, deciders: decider });
    this.rooms = this.host.streams<Clocked, ClockedCommand, ClockedEvent>("room");
    this.started = this.host.start();
  }

  /** Another host on the same log; this one does nothing more. */
  another(options: Options = {}): ClockStage {
    void this.host.stop();
    return new ClockStage({ log: this.log, clock: this.clock, ...options });
  }

  async ask(type: ClockedCommand["type"], key?: string) {
    return answered(this.rooms.ask("r", { command: { type }, by: "ann", key }));
  }

  /** All events with their times, from the first entry on. */
  async story(): Promise<string[]> {
    const batches = await this.log.inner.read("room/r", 0, 1_000);
    const entries = batches.flatMap(({ lines }) => lines.map((line) => decodeEntry<ClockedEvent>(line)));
    return entries.map(
      ({ at, by, events }) => `${events[0].type} ${at - entries[0].at}${by === "ann" ? "" : ` ${by}`}`,
    );
  }

  read() {
    return answered(this.rooms.read("r", (room) => room?.due));
  }
}

describe("a state loaded from the log", () => {
  test("[LS4] is revived first: a clock that ran out while the server was down restarts", async () => {
    const before = new ClockStage();
    await before.ask("open");
    await before.clock.advance(turnMs - 1);
    const stage = before.another();
    await stage.started;
    await stage.clock.advance(10 * turnMs);
    assert.deepEqual(await stage.story(), ["open 0", `revive ${turnMs} @clock`, `tick ${2 * turnMs} @clock`]);
  });

  test("[LS4] is revived once, in the first command's batch and before that command", async () => {
    const before = new ClockStage();
    await before.ask("open");
    const stage = before.another();
    stage.clock.jump(3 * turnMs);
    await Promise.all([stage.ask("play"), stage.ask("play"), stage.read()]);
    await stage.ask("play");
    const at = 3 * turnMs;
    assert.deepEqual(await stage.story(), [
      "open 0",
      `revive ${at} @clock`,
      `play ${at}`,
      `play ${at}`,
      `play ${at}`,
    ]);
  });

  test("[LS4] [LG2] the first reader sees it revived, once that is durable", async () => {
    const before = new ClockStage();
    await before.ask("open");
    const stage = before.another();
    stage.clock.jump(3 * turnMs);
    stage.log.holding = true;
    let seen: unknown;
    const read = stage.rooms
      .read("r", (room) => room?.due)
      .then((found) => {
        seen = found;
      });
    await turns(30);
    assert.equal(seen, undefined);
    stage.log.releaseAll();
    await answered(read);
    assert.deepEqual(seen, { value: stage.clock.now() + turnMs });
  });

  test("[LS4] with nothing to revive nothing is written, and an unknown id is not revived", async () => {
    const before = new ClockStage();
    await before.ask("open");
    await before.ask("stand-still");
    const stage = before.another();
    await stage.read();
    assert.deepEqual(await answered(stage.rooms.read("none", (room) => room)), { value: undefined });
    await stage.clock.advance(10 * turnMs);
    assert.equal((await stage.story()).length, 2);
  });

  test("[LS4] a key repeated after a restart gets the same answer, regardless of what was revived", async () => {
    const before = new ClockStage();
    await before.ask("open");
    const first = await before.ask("play", "k");
    const again = await before.another().ask("play", "k");
    assert.ok("entry" in first && "entry" in again);
    assert.deepEqual(again.entry, first.entry);
    assert.equal(again.replayed, true);
  });

  test("[AR9] [LM2] an idle room with a running clock is evicted, and once reloaded its clock runs out on time", async () => {
    const stage = new ClockStage({ idleMs: 1_000 });
    await stage.ask("open");
    await stage.clock.advance(turnMs / 2);
    assert.equal(stage.host.residentStreams, 0);
    await stage.read();
    await stage.clock.advance(turnMs / 2 + 5);
    assert.deepEqual(await stage.story(), ["open 0", `tick ${turnMs} @clock`]);
  });

  test("[AR9] [LM2] rooms with running clocks count towards the limit, and their clocks run out on time", async () => {
    const stage = new ClockStage({ residentStreamsMax: 2 });
    await stage.ask("open");
    for (let room = 0; room < 10; room++)
      await answered(stage.rooms.ask(`other-${room}`, { command: { type: "open" }, by: "ann" }));
    assert.ok(stage.host.residentStreams <= 3, `${stage.host.residentStreams} in memory`);
    await stage.clock.advance(turnMs + 5);
    assert.deepEqual(await stage.story(), ["open 0", `tick ${turnMs} @clock`]);
  });

  test("[AR9] [CK2] a room that could not be read before the clock was set back by days restarts its clock once", async () => {
    const days = 30 * 24 * 60 * 60 * 1_000;
    const before = new ClockStage();
    before.clock.jump(days);
    await before.ask("open");
    const stage = before.another();
    await stage.clock.advance(turnMs / 2);
    stage.log.beforeRead = () => {
      throw new LogUnavailable("The disk is gone.");
    };
    assert.ok("refusal" in (await stage.read()));
    stage.log.beforeRead = () => {};
    await stage.read();
    stage.clock.jump(-days);
    await stage.read();
    await stage.ask("play");
    await stage.clock.advance(3 * turnMs);
    const happened = (await stage.story()).map((line) => line.split(" ")[0]);
    assert.deepEqual(happened, ["open", "revive", "play", "tick"]);
  });

  test("[LG5] a room that is due but has no running clock is evicted and still ends on time", async () => {
    const decider: typeof clockedDecider = {
      ...clockedDecider,
      clock: { ...clockedDecider.clock!, isRunning: () => false },
      // There is no clock to restart.
      decide: (room, command, now) =>
        command.type === "revive" ? { events: [] } : clockedDecider.decide(room, command, now),
    };
    const stage = new ClockStage({ idleMs: 1_000, deciders: { room: decider } });
    await stage.ask("open");
    await stage.clock.advance(turnMs / 2);
    assert.equal(stage.host.residentStreams, 0);
    await stage.clock.advance(turnMs / 2 + 5);
    assert.deepEqual(await stage.story(), ["open 0", `tick ${turnMs} @clock`]);
  });
});

describe("a state in memory after an outage of the log", () => {
  test("[AR9] its clock restarts even if nobody requested it meanwhile", async () => {
    const stage = new ClockStage();
    await stage.ask("open");
    await stage.clock.advance(turnMs - 5_000);
    stage.log.down = true;
    const other = { command: { type: "open" }, by: "bob" } as const;
    assert.ok("refusal" in (await answered(stage.rooms.ask("other", other))));
    await stage.clock.advance(11_000);
    stage.log.down = false;
    await stage.clock.advance(2_000);
    const [, revived, ...rest] = await stage.story();
    assert.match(revived, /^revive \d+ @clock$/);
    assert.deepEqual(rest, []);
    await stage.clock.advance(turnMs);
    assert.match((await stage.story())[2], /^tick \d+ @clock$/);
  });

  test("[AR9] commands behind a hanging append are decided before any clock runs out", async () => {
    const stage = new ClockStage();
    await stage.ask("open");
    await stage.clock.advance(5_000);
    stage.log.holding = true;
    const hung = stage.ask("play");
    await turns();
    await stage.clock.advance(turnMs - 1_000);
    const waiting = stage.ask("play");
    await stage.clock.advance(11_000);
    stage.log.releaseAll();
    await Promise.all([hung, waiting]);
    const at = turnMs + 15_000;
    assert.deepEqual(await stage.story(), ["open 0", "play 5000", `revive ${at} @clock`, `play ${at}`]);
  });

  test("[AR9] [LG10] its clock restarts after refused moves, even if no append was under way", async () => {
    const stage = new ClockStage();
    await stage.ask("open");
    await stage.clock.advance(turnMs - 12_000);
    stage.log.failure = new LogUnavailable("The disk has not answered.");
    await stage.clock.advance(11_000);
    assert.ok("refusal" in (await stage.ask("play")));
    const at = stage.clock.now();
    stage.log.failure = undefined;
    await stage.clock.advance(2_000);
    const [, revived, ...rest] = await stage.story();
    assert.match(revived, /^revive \d+ @clock$/);
    assert.deepEqual(rest, []);
    await stage.clock.advance(turnMs);
    assert.match((await stage.story())[2], /^tick \d+ @clock$/);
    assert.ok(stage.clock.now() - at >= turnMs);
  });

  test("[AR9] a clock that runs out while the log hangs restarts", async () => {
    const stage = new ClockStage();
    await stage.ask("open");
    await stage.clock.advance(turnMs - 1_000);
    const { due } = stage.log.inner;
    const hanging = Promise.withResolvers<void>();
    stage.log.inner.due = async (...question) => {
      await hanging.promise;
      return due.apply(stage.log.inner, question);
    };
    await stage.clock.advance(11_000);
    hanging.resolve();
    await turns(30);
    assert.deepEqual(await stage.story(), ["open 0", `revive ${turnMs + 10_000} @clock`]);
  });

  test("[AR9] setting the clock ahead makes nobody's clock run out", async () => {
    const stage = new ClockStage();
    await stage.ask("open");
    await stage.clock.advance(5_000);
    stage.clock.jump(10 * turnMs);
    await stage.read();
    assert.deepEqual(await stage.story(), ["open 0", `revive ${10 * turnMs + 5_000} @clock`]);
  });

  test("[AR9] [CK3] the clock of a room that is ahead restarts as well, and only after an outage", async () => {
    const day = 24 * 60 * 60 * 1_000;
    for (const isOutage of [true, false]) {
      const stage = new ClockStage();
      stage.clock.jump(30 * day);
      await stage.ask("open");
      stage.clock.jump(-30 * day);
      await stage.read();
      await stage.clock.advance(500);
      stage.log.failing = isOutage;
      const other = { command: { type: "open" }, by: "bob" } as const;
      assert.equal("refusal" in (await answered(stage.rooms.ask("other", other))), isOutage);
      stage.log.failing = false;
      await stage.clock.advance(turnMs / 0.9 - 1_500);
      await stage.read();
      assert.equal((await stage.story()).length, 1, "its time has not run out");
      await stage.clock.advance(2_000);
      await stage.read();
      assert.match((await stage.story())[1], isOutage ? /^revive \d+ @clock$/ : /^tick \d+ @clock$/);
    }
  });

  test("[AR9] [CK3] setting the clock back a little neither hides an outage nor restarts clocks without one", async () => {
    for (const command of ["play", "note"] as const) {
      for (const isOutage of [true, false]) {
        const stage = new ClockStage();
        await stage.ask("open");
        await stage.clock.advance(1_000);
        stage.clock.jump(-500);
        await stage.ask(command);
        await stage.clock.advance(100);
        stage.log.failing = isOutage;
        const other = { command: { type: "open" }, by: "bob" } as const;
        assert.equal("refusal" in (await answered(stage.rooms.ask("other", other))), isOutage);
        stage.log.failing = false;
        await stage.clock.advance(turnMs + 2_000);
        await stage.read();
        assert.match((await stage.story())[2], isOutage ? /^revive \d+ @clock$/ : /^tick \d+ @clock$/);
      }
    }
  });

  test("[AR9] an unreadable room restarts no clock in other rooms", async () => {
    const stage = new ClockStage();
    await stage.ask("open");
    await stage.clock.advance(turnMs - 1_000);
    stage.log.beforeRead = () => {
      throw new LogUnavailable("A page of it is damaged.");
    };
    assert.ok("refusal" in (await answered(stage.rooms.read("other", (room) => room))));
    await stage.clock.advance(2_000);
    assert.deepEqual(await stage.story(), ["open 0", `tick ${turnMs} @clock`]);
  });
});
