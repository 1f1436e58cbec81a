import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countsOf, livePlaceIn, queueDecider, queuePlace } from "@openseat/kernel";
import { queueLimits } from "../src/queue/limits.ts";
import { about, createQueue, enter, QueueStage } from "./queue-stage.ts";
import { millis, person, ticket } from "./room-stage.ts";

const { decide, nextDue } = queueDecider;

describe("entering is refused", () => {
  test("by a waiting room that does not exist", () => {
    for (const command of [enter("ann"), about("leave", 1), { type: "pause" }, queueDecider.tick] as const) {
      const decision = decide(undefined, command, millis(0));
      assert.equal("refusal" in decision && decision.refusal.code, "room.not-found");
    }
    new QueueStage().refused(createQueue(), "room.exists");
  });

  test("[RM3] to people who are waiting, admitted or active, with the ticket of their place", () => {
    const stage = new QueueStage({ seats: 2 });
    for (const name of ["ann", "bob", "cid"]) stage.enter(name);
    stage.do(about("claim", 1));
    for (const [name, number] of [
      ["ann", 1],
      ["bob", 2],
      ["cid", 3],
    ] as const)
      stage.refused(enter(name), "place.exists", { ticket: number });
    for (const number of [1, 2, 3]) stage.do(about("leave", number));
    stage.enter("cid");
    stage.refused(enter("cid"), "place.exists", { ticket: 4 });
  });

  test("[LN2] in a lane that the waiting room does not have", () => {
    const stage = new QueueStage();
    for (const lane of [4, 16, 255, -1, 0.5, Number.NaN])
      stage.refused(enter("ann", lane), "lane.unknown", { lane });
    assert.match(stage.refusal(enter("ann", 4)).message, /0 normal, 1 elevated, 2 vip, 3 premium/);
  });

  test("[LN8] when the line is full, premium included, until one person leaves", () => {
    const stage = new QueueStage({ seats: 1, lineLengthMax: 3 });
    for (const name of ["ann", "bob", "cid", "dan"]) stage.enter(name);
    for (const lane of [0, 1, 2, 3]) stage.refused(enter("eve", lane), "line.full");
    const { retryable, retryAfterSeconds } = stage.refusal(enter("eve"));
    assert.ok(retryable && retryAfterSeconds! > 0);
    stage.do({ type: "configure", changes: { lineLengthMax: 1 } });
    assert.deepEqual(stage.names, ["bob", "cid", "dan"], "a lower maximum removes nobody");
    stage.do({ type: "configure", changes: { lineLengthMax: 3 } });
    stage.do(about("leave", 3));
    stage.enter("eve");
    assert.deepEqual(stage.names, ["bob", "dan", "eve"]);
  });

  test("[LN8] also to a person who could be admitted at once, if the limit says so", () => {
    const stage = new QueueStage({ seats: 5, ratePerSecond: 0.001, lineLengthMax: 1 });
    stage.enter("ann");
    stage.enter("bob");
    stage.refused(enter("cid", 3), "line.full");
  });

  test("[LN10] to an address at its limit of live places; off by default, and not without an address", () => {
    const stage = new QueueStage({ seats: 1, placesPerAddressMax: 2 });
    stage.enter("ann", 0, "home");
    stage.enter("bob", 0, "home");
    stage.refused(enter("cid", 0, "home"), "limit.address");
    stage.enter("cid", 0, "work");
    stage.enter("dan");
    stage.enter("eve", 0, "");
    stage.do(about("leave", 2));
    stage.enter("fay", 0, "home");
    stage.refused(enter("gus", 0, "home"), "limit.address");
    stage.do({ type: "expire", tickets: [ticket(6)], reason: "heartbeat_timeout" });
    stage.goOn(stage.now + 30_000);
    assert.equal(stage.room.roster.stateOf(ticket(1)), "expired", "ann did not claim");
    stage.enter("gus", 0, "home");
    stage.enter("hal", 0, "home");

    const free = new QueueStage({ seats: 1 });
    for (let number = 0; number < 50; number++) free.enter(`p${number}`, 0, "home");
  });

  test("for the first reason that applies: place exists, unknown lane, line full, too many from one address", () => {
    const stage = new QueueStage({ seats: 1, lineLengthMax: 1, placesPerAddressMax: 1 });
    stage.enter("ann", 0, "home");
    stage.enter("bob", 0, "work");
    stage.refused(enter("bob", 9, "home"), "place.exists");
    stage.refused(enter("cid", 9, "home"), "lane.unknown");
    stage.refused(enter("cid", 0, "home"), "line.full");
    stage.do({ type: "configure", changes: { lineLengthMax: 2 } });
    stage.refused(enter("cid", 0, "home"), "limit.address");
  });
});

describe("requests about a place are refused", () => {
  const kinds = ["leave", "claim", "complete", "terminate"] as const;

  test("[AD7] when it does not exist or belongs to another person, with the same message", () => {
    const stage = new QueueStage({ seats: 2 });
    for (const name of ["ann", "bob", "cid"]) stage.enter(name);
    stage.do(about("claim", 1, "ann"));
    for (const type of kinds) {
      for (const never of [0, -1, 4, 1e9]) stage.refused(about(type, never), "place.not-found");
      for (const number of [1, 2, 3]) stage.refused(about(type, number, "mallory"), "place.not-found");
    }
    const words = [1, 99].map((number) => stage.refusal(about("claim", number, "mallory")).message);
    assert.equal(words[0], words[1]);
    const seen = queuePlace(stage.room, ticket(3), person("mallory"), millis(stage.now));
    assert.equal("refusal" in seen && seen.refusal.code, "place.not-found");
    assert.equal(livePlaceIn(stage.room, person("mallory"), millis(stage.now)), undefined);
  });

  test("[RM4][RM5] when it is over for any reason, which the refusal gives", () => {
    const stage = new QueueStage({ seats: 3 });
    for (const name of ["completed", "left", "expired", "terminated", "cancelled"]) stage.enter(name);
    stage.do(about("claim", 1));
    stage.do(about("complete", 1));
    stage.do(about("leave", 5));
    stage.do(about("leave", 2));
    stage.do(about("terminate", 4));
    stage.goOn(stage.now + 30_000);
    for (const type of kinds)
      for (let number = 1; number <= 5; number++) stage.refused(about(type, number), "place.over");
    for (const [number, words] of [
      [1, /completed/],
      [2, /given up/],
      [3, /expired/],
      [4, /expired/],
      [5, /given up/],
    ] as const)
      assert.match(stage.refusal(about("claim", number)).message, words);
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((number) => stage.placeOf(number).reason),
      ["completed", "left", "claim_timeout", "terminated", "cancelled"],
    );
  });

  test("[RM4][AD7] when it is in the wrong state", () => {
    const stage = new QueueStage({ seats: 2 });
    for (const name of ["ann", "bob", "cid"]) stage.enter(name);
    stage.do(about("claim", 1));
    stage.refused(about("claim", 3, "cid"), "place.unready", { status: "waiting" });
    stage.refused(about("complete", 3, "cid"), "place.unready", { status: "waiting" });
    stage.refused(about("complete", 2, "bob"), "place.unready", { status: "admitted" });
    stage.refused(about("claim", 1, "ann"), "place.unready", { status: "active" });
  });

  test("[AD6] a late claim is refused, even if more places expire at once than one entry holds", () => {
    const many = queueLimits.eventTicketsMax + 500;
    const stage = new QueueStage({ seats: 10_000, claimTimeoutMs: 1_000 });
    for (let number = 1; number <= many; number++) stage.enter(`p${number}`);
    stage.at(1_999).do(about("claim", many));
    stage.at(2_000);
    for (const type of kinds) stage.refused(about(type, many - 1), "place.over");
    const decision = decide(stage.room, queueDecider.tick, millis(stage.now));
    assert.ok("events" in decision);
    stage.write(decision.events);
    assert.equal(stage.room.admitted, 499, "the rest follows in the next entry");
    assert.ok(nextDue(stage.room)! <= stage.now, "which is due at once");
    stage.refused(about("claim", many - 1), "place.over");
    stage.wake();
    assert.deepEqual(countsOf(stage.room), { waiting: 0, admitted: 0, active: 1, moved: many });
  });
});

describe("operators are refused", () => {
  test("[AD5] a second pause, a second resume", () => {
    const stage = new QueueStage();
    stage.refused({ type: "resume" }, "queue.running");
    stage.do({ type: "pause" });
    stage.refused({ type: "pause" }, "queue.paused");
    stage.do({ type: "resume" });
    stage.refused({ type: "resume" }, "queue.running");
  });

  test("[RM1] impossible seats and rates are bugs, at creation and later", () => {
    for (const seats of [0, -1, 1.5, 1_000_001, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => new QueueStage({ seats }), /Impossible/, String(seats));
      const stage = new QueueStage();
      assert.throws(() => stage.do({ type: "configure", changes: { seats } }), /Impossible/, String(seats));
      assert.equal(stage.room.settings.seats, 1);
    }
    for (const changes of [{ burst: 0 }, { burst: 1 / 3 }, { ratePerSecond: 0 }, { ratePerSecond: -1 }]) {
      const settings = { ratePerSecond: 1, ...changes };
      assert.throws(() => new QueueStage(settings), /Impossible/, JSON.stringify(changes));
      const stage = new QueueStage();
      assert.throws(() => stage.do({ type: "configure", changes: settings }), /Impossible/);
      assert.equal(stage.room.settings.ratePerSecond, null);
    }
    for (const seats of [1, 1_000_000]) assert.equal(new QueueStage({ seats }).room.settings.seats, seats);
  });
});
