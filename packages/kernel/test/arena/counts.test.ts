import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ArenaEvent, arenaDecider } from "@openseat/kernel";
import { millis } from "../room-stage.ts";
import { ArenaStage, leave, only } from "./stage.ts";

/** People seated and waiting after each event, counted from the events alone, not from the state. */
function recount(events: readonly ArenaEvent[]): [type: string, seated: number, waiting: number][] {
  const [seated, waiting] = [new Set<number>(), new Set<number>()];
  return events.flatMap((event) => {
    if (event.type === "entered") waiting.add(event.ticket);
    else if (event.type === "seated") {
      waiting.delete(event.ticket);
      seated.add(event.ticket);
    } else if (event.type === "left") {
      waiting.delete(event.ticket);
      seated.delete(event.ticket);
    }
    return "waiting" in event ? [[event.type, seated.size, waiting.size]] : [];
  });
}

describe("[RM6] the counts in the entries of an arena", () => {
  const stage = new ArenaStage().join("ann", "bob", "cid", "dan");
  stage.report("X");
  stage.do(leave("dan"));
  stage.do(leave("ann"));
  stage.report(null);
  const events = stage.entries.flatMap((entry) => entry.events);

  test("[RM6] are correct after each event, through joins, results, draws and leaves", () => {
    const told = events.flatMap((event) =>
      "waiting" in event ? [[event.type, event.seated, event.waiting]] : [],
    );
    assert.ok(told.length > 12, `only ${told.length} events have counts`);
    assert.deepEqual(told, recount(events));
  });

  for (const wrong of ["seated", "waiting"] as const)
    test(`[RM6] are checked when an entry is read: one with another count of ${wrong} is rejected`, () => {
      const room = new ArenaStage().join("ann", "bob", "cid");
      const decision = arenaDecider.decide(room.state, leave("cid"), millis(room.now));
      assert.ok("events" in decision);
      const [left] = only(decision.events, "left");
      assert.throws(
        () => room.write([{ ...left, [wrong]: left[wrong] + 1 }]),
        /the counts of an event are wrong/,
      );
    });
});
