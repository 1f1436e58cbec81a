import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isHurryTime, momentOf, ServerClock } from "../../src/arena/table/server-clock.ts";
import { clockFace } from "../../src/ui/words.ts";
import { playing, viewOf } from "./stage.ts";

describe("the clock of a turn", () => {
  test("uses the server's time, however wrong the device's clock is", () => {
    const clock = new ServerClock();
    const server = Date.parse("2030-01-01T12:00:00.000Z");
    const device = server - 3_600_000;
    clock.sync(server, device);
    assert.equal(clock.untilMs("2030-01-01T12:00:30.000Z", device + 10_000), 20_000);
    assert.equal(clock.nowMs(device), server);
    assert.equal(clock.untilMs("2030-01-01T12:00:30.000Z", device + 60_000), 0);
  });

  test("trusts the message with the shortest delay", () => {
    const clock = new ServerClock();
    clock.sync(10_000, 10_900);
    clock.sync(20_000, 20_050);
    clock.sync(30_000, 31_500);
    assert.equal(clock.nowMs(40_050), 40_000);
    clock.sync(Number.NaN, 0);
    assert.equal(clock.nowMs(40_050), 40_000);
  });

  test("a turn that has just begun reveals the server's time", () => {
    const match = { ...playing.match!, moveBy: "2030-01-01T12:00:30.000Z" };
    const moved = [{ type: "moved", label: "X", move: null }] as const;
    assert.equal(momentOf(viewOf({ match }), moved), Date.parse("2030-01-01T12:00:00.000Z"));
    assert.equal(momentOf(viewOf({ match }), []), undefined);
    assert.equal(momentOf(viewOf({ match: null }), moved), undefined);
  });

  test("never shows zero while time is left", () => {
    assert.deepEqual([0, 1, 1_000, 59_001, 60_000, 3_900_000].map(clockFace), [
      "0:00",
      "0:01",
      "0:01",
      "1:00",
      "1:00",
      "1:05:00",
    ]);
  });

  test("warns once that time is short, and never in games with short turns", () => {
    assert.equal(isHurryTime(9_900, 10_100, 30_000), true);
    assert.equal(isHurryTime(9_700, 9_900, 30_000), false);
    assert.equal(isHurryTime(9_900, 10_100, 12_000), false);
  });
});
