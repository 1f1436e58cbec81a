import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countsOf, queueDecider } from "@openseat/kernel";
import { queueLimits } from "../src/queue/limits.ts";
import { typesOf } from "./decider-stage.ts";
import { about, QueueStage } from "./queue-stage.ts";
import { millis, ticket } from "./room-stage.ts";

const [waitingLease, sessionLease] = queueDecider.presence!.leases;
const nobody = () => false;
const everybody = () => true;
const now = millis(0);

/** Ten people inside, of whom the first five have claimed; then ten in the line. */
function halfFull(): QueueStage {
  const stage = new QueueStage({ seats: 10, sessionTimeoutMs: 9_000, heartbeatTimeoutMs: 7_000 });
  for (let number = 1; number <= 20; number++) stage.enter(`p${number}`);
  for (const number of [4, 2, 5, 1, 3]) stage.do(about("claim", number));
  return stage;
}

describe("leases", () => {
  test("[LS1] cover the line while it is not empty, for the time of the setting", () => {
    const stage = new QueueStage({ seats: 1, heartbeatTimeoutMs: 7_000 });
    assert.equal(waitingLease.windowMs(stage.room), undefined);
    stage.enter("ann");
    assert.equal(waitingLease.windowMs(stage.room), undefined, "ann is inside");
    assert.equal(waitingLease.newest(stage.room), 1);
    stage.enter("bob");
    assert.equal(waitingLease.windowMs(stage.room), 7_000);
    stage.do({ type: "configure", changes: { heartbeatTimeoutMs: 9_000 } });
    assert.equal(waitingLease.windowMs(stage.room), 9_000);
    assert.equal(waitingLease.newest(stage.room), 2);
    stage.do(about("leave", 2));
    assert.equal(waitingLease.windowMs(stage.room), undefined);
  });

  test("[LS2] cover active sessions only where the queue requires it", () => {
    const stage = new QueueStage({ seats: 1 });
    stage.enter("ann");
    stage.do(about("claim", 1));
    assert.equal(sessionLease.windowMs(stage.room), undefined);
    stage.do({ type: "configure", changes: { sessionTimeoutMs: 5_000 } });
    assert.equal(sessionLease.windowMs(stage.room), 5_000);
    assert.equal(sessionLease.newest(stage.room), 1);
    stage.do(about("complete", 1));
    assert.equal(sessionLease.windowMs(stage.room), undefined);
    stage.enter("bob");
    assert.equal(
      sessionLease.windowMs(stage.room),
      undefined,
      "bob has not claimed: his claim has its own timeout",
    );
  });
});

describe("people without heartbeats", () => {
  test("[LS1] in the line exactly the silent ones expire, front first", () => {
    const { room } = halfFull();
    assert.equal(waitingLease.lapse(room, everybody, now), undefined);
    assert.deepEqual(
      waitingLease.lapse(room, (number) => number % 3 !== 0, now),
      { type: "expire", tickets: [12, 15, 18], reason: "heartbeat_timeout" },
    );
    const all = waitingLease.lapse(room, nobody, now);
    assert.ok(all?.type === "expire");
    assert.deepEqual(all.tickets, [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });

  test("[LS1] expire in the order of the line, not of tickets", () => {
    const stage = new QueueStage({ seats: 1 });
    for (const [name, lane] of [
      ["inside", 0],
      ["n1", 0],
      ["n2", 0],
      ["p1", 3],
      ["v1", 2],
    ] as const)
      stage.enter(name, lane);
    const command = waitingLease.lapse(stage.room, (number) => number === 2, now);
    assert.ok(command?.type === "expire");
    assert.deepEqual(command.tickets, [4, 5, 3]);
  });

  test("[LS2] exactly the silent sessions expire, by ticket; no claims and nobody in the line", () => {
    const { room } = halfFull();
    assert.equal(sessionLease.lapse(room, everybody, now), undefined);
    assert.deepEqual(sessionLease.lapse(room, nobody, now), {
      type: "expire",
      tickets: [1, 2, 3, 4, 5],
      reason: "session_timeout",
    });
    assert.deepEqual(
      sessionLease.lapse(room, (number) => number !== 4, now),
      { type: "expire", tickets: [4], reason: "session_timeout" },
    );
  });

  test("[LS2] a session expires once, even if it ends at the moment of its claim timeout", () => {
    const stage = new QueueStage({
      seats: 1,
      claimTimeoutMs: 5_000,
      sessionDurationMs: 5_000,
      sessionTimeoutMs: 5_000,
    });
    stage.enter("ann");
    stage.do(about("claim", 1));
    const command = sessionLease.lapse(stage.room, nobody, now);
    assert.ok(command?.type === "expire");
    assert.deepEqual(command.tickets, [1]);
    stage.do(command);
    assert.deepEqual(countsOf(stage.room), { waiting: 0, admitted: 0, active: 0, moved: 1 });
  });

  test("[LS1][LS3] a silent crowd expires in several entries, each person exactly once", () => {
    const max = queueLimits.eventTicketsMax;
    const stage = new QueueStage({ seats: 3, claimTimeoutMs: 1e9 });
    for (let number = 0; number < 3 * max; number++) stage.enter(`p${number}`, number % 4);
    const isPresent = (number: number) => number % 10 === 0;
    const silent = stage.order.filter((number) => !isPresent(number));
    const ended: number[] = [];
    for (;;) {
      const command = waitingLease.lapse(stage.room, isPresent, now);
      if (!command) break;
      assert.ok(command.type === "expire" && command.tickets.length > 0 && command.tickets.length <= max);
      assert.equal(stage.do(command).length, 1, "the seats are taken");
      ended.push(...command.tickets);
    }
    assert.deepEqual(ended, silent);
    assert.ok(stage.order.every(isPresent) && stage.order.length > 0);
  });

  test("[LS2] so do sessions", () => {
    const max = queueLimits.eventTicketsMax;
    const stage = new QueueStage({ seats: 3 * max, sessionTimeoutMs: 5_000 });
    for (let number = 1; number <= 2 * max + 5; number++) {
      stage.enter(`p${number}`);
      stage.do(about("claim", number));
    }
    const sizes: number[] = [];
    for (
      let command = sessionLease.lapse(stage.room, nobody, now);
      command;
      command = sessionLease.lapse(stage.room, nobody, now)
    ) {
      assert.ok(command.type === "expire");
      assert.deepEqual(
        command.tickets,
        command.tickets.toSorted((a, b) => a - b),
      );
      sizes.push(command.tickets.length);
      stage.do(command);
    }
    assert.deepEqual(sizes, [max, max, 5]);
    assert.equal(stage.room.active, 0);
    assert.equal(stage.placeOf(1).reason, "session_timeout");
  });

  test("[LS1][AD4] when the silent front expires, the people behind are admitted in the same entry if a seat is free", () => {
    const stage = new QueueStage({ seats: 2, ratePerSecond: 1, burst: 1 });
    for (const name of ["ann", "bob", "cid", "dan"]) stage.enter(name);
    stage.at(1_500);
    const [expired, ...rest] = stage.do(waitingLease.lapse(stage.room, (number) => number > 2, now)!);
    assert.deepEqual(expired, {
      ...{ type: "expired", tickets: [2], reason: "heartbeat_timeout" },
      ...{ waiting: 2, admitted: 1, active: 0, moved: 1 },
    });
    assert.deepEqual(rest, [], "no token yet");
    stage.goOn(2_000);
    assert.deepEqual(stage.names, ["dan"], "cid gets the token that bob would have had");

    const other = new QueueStage({ seats: 1 });
    for (const name of ["ann", "bob", "cid"]) other.enter(name);
    other.do(about("claim", 1));
    const events = other.do({ type: "expire", tickets: [ticket(1)], reason: "session_timeout" });
    assert.deepEqual(typesOf(events), ["expired", "admitted"]);
    assert.deepEqual(other.names, ["cid"]);
  });

  test("[LS1] expiring a place that is not in the line is a bug of the host", () => {
    const stage = halfFull();
    const expire = (number: number, reason: "heartbeat_timeout" | "session_timeout") =>
      queueDecider.decide(
        stage.room,
        { type: "expire", tickets: [ticket(number)], reason },
        millis(stage.now),
      );
    for (const number of [1, 6, 99]) assert.throws(() => expire(number, "heartbeat_timeout"), /Impossible/);
    for (const number of [6, 11, 99]) assert.throws(() => expire(number, "session_timeout"), /Impossible/);
  });
});
