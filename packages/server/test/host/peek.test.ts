import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answered, turns } from "../support/test-clock.ts";
import { LeaseStage } from "./leased-room.ts";

describe("answers at once", () => {
  test("[LG2] a peek returns what a read would, or nothing if the room is evicted, in flight or overdue", async () => {
    const stage = new LeaseStage();
    const dueInMs = 1_000;
    await stage.crowded("r", 2, { due: stage.clock.now() + dueInMs });
    const peek = (from = stage) => from.rooms.peek("r", (room, version) => [room!.places.size, version]);
    assert.deepEqual(peek(), [2, 3]);
    assert.equal(peek(stage.another()), undefined);
    stage.log.holding = true;
    const entered = stage.ask("r", { type: "enter" });
    await turns();
    assert.equal(peek(), undefined);
    stage.log.releaseAll();
    await answered(entered);
    assert.deepEqual(peek(), [3, 4]);
    stage.clock.jump(dueInMs);
    assert.equal(peek(), undefined);
    await answered(stage.tickets("r"));
    assert.deepEqual(peek(), [3, 5]);
    await stage.stop();
    assert.equal(peek(), undefined);
  });

  test("[LG5] a peek counts as use and keeps the room in memory", async () => {
    const stage = new LeaseStage({ idleMs: 60_000 });
    await stage.host.start();
    await stage.opened("r");
    for (let half = 0; half < 6; half++) {
      await stage.clock.advance(30_000);
      assert.equal(
        stage.rooms.peek("r", () => "seen"),
        "seen",
      );
    }
    await stage.clock.advance(180_000);
    assert.equal(
      stage.rooms.peek("r", () => "seen"),
      undefined,
    );
    await stage.stop();
  });
});
