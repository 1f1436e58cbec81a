import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { queueDecider, queueStatistics } from "@openseat/kernel";
import { about, Chance, QueueStage } from "./queue-stage.ts";
import { millis } from "./room-stage.ts";

const minute = 60_000;
const hour = 60 * minute;
const premium = 3;

/** The estimates for every position of the line. */
function told(stage: QueueStage): (string | null)[] {
  return stage.order.map((number) => {
    const { estimate } = stage.placeOf(number);
    return estimate && `${estimate.low}-${estimate.high}`;
  });
}
const statistics = (stage: QueueStage) => queueStatistics(stage.room, millis(stage.now));

describe("estimates", () => {
  test("[ST2] without observations, lie between the rate and everybody staying for the maximum time", () => {
    const stage = new QueueStage({ seats: 10, ratePerSecond: 2, burst: 1, sessionDurationMs: 20_000 });
    for (let number = 0; number < 6; number++) stage.enter(`p${number}`);
    assert.deepEqual(
      told(stage),
      ["0-2", "0-4", "1-6", "1-8", "2-10"],
      "half a person per second, up to two",
    );
    stage.do({ type: "configure", changes: { seats: 1_000 } });
    assert.deepEqual(told(stage), ["0-1", "0-1", "1-2", "1-2", "2-3"], "the rate alone");
  });

  test("[ST2] without a rate, follow from the seats", () => {
    const stage = new QueueStage({ seats: 1, ratePerSecond: null, sessionDurationMs: 20_000 });
    for (let number = 0; number < 4; number++) stage.enter(`p${number}`);
    assert.deepEqual(told(stage), ["0-20", "1-40", "2-60"]);
  });

  test("[ST2] are null while paused, outside the line, and above a day", () => {
    const stage = new QueueStage({ seats: 1, sessionDurationMs: hour, claimTimeoutMs: hour });
    for (let number = 0; number < 30; number++) stage.enter(`p${number}`);
    assert.equal(stage.placeOf(1).estimate, null, "admitted");
    assert.deepEqual(
      told(stage)
        .map((words) => words !== null)
        .lastIndexOf(true),
      23,
      "24 hours, and no more",
    );
    stage.do({ type: "pause" });
    assert.ok(told(stage).every((words) => words === null));
    const [entered] = stage.enter("new");
    assert.ok(entered.type === "entered" && entered.estimate === null);
    stage.do({ type: "resume" });
    assert.ok(told(stage)[0] !== null);
  });

  test("[ST2] come from observations once there are enough, and no longer from the settings", () => {
    // Configured for 100 per second; in fact one person leaves every two seconds.
    const stage = new QueueStage({ seats: 10, ratePerSecond: 100, burst: 100, sessionDurationMs: 20_000 });
    for (let number = 0; number < 400; number++) stage.enter(`p${number}`);
    const service = () => {
      stage.goOn(stage.now + 2_000);
      const [first] = [...stage.room.agenda].sort((a, b) => a - b);
      stage.do(about("leave", first));
    };
    for (let served = 0; served < 9; served++) service();
    const before = stage.placeOf(110).estimate!;
    assert.ok(before.low === 0, `18 seconds say little: ${JSON.stringify(before)}`);
    for (let served = 0; served < 50; served++) service();
    const rank = stage.placeOf(160).position;
    const { low, high } = stage.placeOf(160).estimate!;
    assert.ok(low > 1.4 * rank && low <= 2 * rank, `position ${rank}: ${low} to ${high} seconds`);
    assert.ok(high >= 2 * rank && high < 2.8 * rank, `position ${rank}: ${low} to ${high} seconds`);
  });

  test("[ST2] observations from before the line formed are ignored", () => {
    const stage = new QueueStage({ seats: 2, ratePerSecond: null, sessionDurationMs: 10_000 });
    for (let number = 0; number < 100; number++) {
      stage.enter(`early-${number}`);
      stage.do(about("leave", stage.room.roster.tickets));
      stage.goOn(stage.now + 1_000);
    }
    for (let number = 0; number < 4; number++) stage.enter(`late-${number}`);
    assert.deepEqual(told(stage), ["0-5", "0-10"], "from the seats, not from one per second");
  });

  test("[ST2] in a new line, actual stays count, not the maximum", () => {
    const stage = new QueueStage({ seats: 1, ratePerSecond: null, sessionDurationMs: 600_000 });
    for (let number = 0; number < 10; number++) {
      stage.enter(`early-${number}`);
      const ticket = stage.room.roster.tickets;
      stage.do(about("claim", ticket));
      stage.goOn(stage.now + 20_000);
      stage.do(about("complete", ticket));
    }
    for (let number = 0; number < 2; number++) stage.enter(`late-${number}`);
    assert.deepEqual(told(stage), ["0-30"], "one and a half times the 20 seconds observed");
  });

  test("[ST2] are ranges, and rise with the position, in any room at any time", () => {
    const chance = new Chance(2);
    for (let round = 0; round < 60; round++) {
      const stage = new QueueStage({
        seats: 1 + chance.below(50),
        ratePerSecond: chance.of([null, 0.01, 1, 50]),
        burst: 1 + chance.below(9),
        sessionDurationMs: chance.of([5_000, 60_000, hour]),
        claimTimeoutMs: 5_000,
      });
      for (let number = 0; number < 120; number++) {
        stage.goOn(stage.now + chance.of([0, 0, 100, 3_000]));
        stage.enter(`p${number}`, chance.percent(10) ? premium : 0);
        const [inside] = stage.room.agenda;
        if (inside !== undefined && chance.percent(40)) stage.do(about("leave", inside));
      }
      let last = { low: 0, high: 0 };
      for (const number of stage.order) {
        const { estimate } = stage.placeOf(number);
        if (!estimate) continue;
        const { low, high } = estimate;
        assert.ok(Number.isInteger(low) && Number.isInteger(high) && low <= high && high >= 1);
        assert.ok(low >= last.low && high >= last.high);
        last = estimate;
      }
    }
  });

  test("[ST2] each estimate is compared with the actual wait, and a steady hour gives small errors", () => {
    for (const [seed, perSecond, lengthAtStart, isRated] of [
      [1, 1, 100, false],
      [4, 2, 200, true],
    ] as const) {
      const { waits } = steadyHour(seed, perSecond, lengthAtStart, isRated);
      assert.ok(waits.estimated > 1_000, `${waits.estimated} had been told`);
      assert.ok(waits.errorShare < 0.1, `off by ${waits.errorShare} at ${perSecond} a second`);
      assert.ok(waits.withinShare > 0.9, `${waits.withinShare} within at ${perSecond} a second`);
    }
  });

  test("[ST2] people admitted at once get no estimate and do not affect the accuracy", () => {
    const stage = new QueueStage({ seats: 100 });
    for (let number = 0; number < 50; number++) stage.enter(`p${number}`);
    const { count, estimated } = statistics(stage).waits;
    assert.deepEqual([count, estimated], [50, 0]);
  });

  test("[ST2] a waiting person gets an estimate even if the same entry admits others", () => {
    const stage = new QueueStage({ seats: 5_000 });
    stage.do({ type: "pause" });
    for (let number = 0; number < 5_000; number++) stage.enter(`p${number}`);
    const resumed = queueDecider.decide(stage.room, { type: "resume" }, millis(stage.now));
    assert.ok("events" in resumed);
    stage.write(resumed.events);
    const late = { type: "enter", person: "late", lane: 0, onBehalf: false } as never;
    const decision = queueDecider.decide(stage.room, late, millis(stage.now));
    assert.ok("events" in decision);
    const [entered, admitted] = decision.events;
    assert.ok(entered.type === "entered" && admitted.type === "admitted");
    assert.ok(!admitted.tickets.includes(entered.ticket) && entered.estimate !== null);
  });
});

/** People come and go at about the same rate for an hour, with a line all the time. */
function steadyHour(seed: number, perSecond: number, lengthAtStart: number, isRated: boolean) {
  const chance = new Chance(seed);
  const stayMs = 30_000;
  // The rate limits admission if `isRated`, otherwise the seats do.
  const seats = Math.round((perSecond * stayMs * (isRated ? 3 : 1)) / 1_000);
  const ratePerSecond = isRated ? perSecond : null;
  const stage = new QueueStage({ seats, ratePerSecond, burst: 2, sessionDurationMs: 10 * minute });
  const goAt = new Map<number, number>();
  let people = 0;
  for (; people < lengthAtStart + seats; people++) stage.enter(`p${people}`);
  const start = stage.now;
  let arrivesAt = start;
  while (stage.now - start < hour) {
    stage.goOn(stage.now + 100);
    for (const number of stage.room.agenda) {
      if (goAt.has(number)) continue;
      stage.do(about("claim", number));
      goAt.set(number, stage.now + stayMs * (0.5 + chance.next()));
    }
    for (const [number, at] of goAt) {
      if (at > stage.now) continue;
      goAt.delete(number);
      stage.do(about("complete", number));
    }
    for (; arrivesAt <= stage.now; arrivesAt += (2 * chance.next() * 1_000) / perSecond)
      stage.enter(`p${people++}`);
  }
  return statistics(stage);
}

describe("statistics", () => {
  test("[ST1] have waiting, admitted, active, completed, expired, left, entered, away, and the last admission", () => {
    const stage = new QueueStage({ seats: 3 });
    assert.deepEqual(statistics(stage), {
      ...{
        waiting: 0,
        admitted: 0,
        active: 0,
        moved: 0,
        completed: 0,
        expired: 0,
        left: 0,
        entered: 0,
        away: 0,
      },
      ...{ admittedLastMinute: 0, admissionsPerSecond: 0, lastAdmittedAt: undefined },
      waits: { count: 0, waitMs: 0, estimated: 0, errorShare: 0, withinShare: 0, stays: 0, stayMs: 0 },
    });
    for (let number = 0; number < 8; number++) stage.enter(`p${number}`);
    stage.do(about("claim", 1));
    stage.do(about("claim", 2));
    stage.at(3_000).do(about("complete", 1));
    stage.do(about("leave", 2));
    stage.do(about("terminate", 3));
    stage.do(about("leave", 8));
    const { waits, ...rest } = statistics(stage);
    assert.deepEqual(rest, {
      ...{
        waiting: 1,
        admitted: 3,
        active: 0,
        moved: 6,
        completed: 1,
        expired: 1,
        left: 2,
        entered: 8,
        away: 0,
      },
      ...{ admittedLastMinute: 6, admissionsPerSecond: 3, lastAdmittedAt: 3_000 },
    });
    assert.equal(waits.count, 6);
    assert.ok(Math.abs(waits.waitMs - 1_000) < 0.001, "three waited two seconds, three did not wait");
  });

  test("[ST1] admissions per second are correct from the first seconds of a queue, and then over the last minute", () => {
    const stage = new QueueStage({ seats: 100 });
    const perSecond = () => statistics(stage).admissionsPerSecond;
    for (let number = 0; number < 4; number++) stage.enter(`p${number}`);
    assert.equal(perSecond(), 4, "a queue is observed for at least a second");
    stage.at(3_000);
    assert.equal(perSecond(), 2, "two seconds old");
    stage.at(41_000);
    assert.equal(perSecond(), 0.1);
    for (let number = 4; number < 16; number++) stage.enter(`p${number}`);
    stage.at(91_000);
    assert.equal(perSecond(), 12 / 60, "the admissions of the last minute");
  });

  test("[ST2] the error of estimates is a share, even after one measurement", () => {
    // The only seat is claimable for a minute, so the next person is told up to 60 seconds; but it is freed after half
    // a second.
    const stage = new QueueStage({ seats: 1, claimTimeoutMs: minute });
    stage.enter("first");
    stage.enter("second");
    assert.deepEqual(told(stage), ["0-60"]);
    stage.at(1_500).do(about("leave", 1));
    const { estimated, errorShare, withinShare } = statistics(stage).waits;
    assert.deepEqual([estimated, withinShare], [1, 1]);
    assert.ok(Math.abs(errorShare - (30 - 0.5) / 30) < 0.001, `${errorShare}`);
  });

  test("[ST2] an error above 1 in a snapshot of an older version is read as 1", () => {
    const stage = new QueueStage({ seats: 1 });
    const saved = stage.saved;
    const head = { ...saved.head, waits: { ...stage.room.waits.averages, estimated: 1, errorShare: 5.9 } };
    const restored = queueDecider.snapshots.restore({ ...saved, head });
    assert.equal(queueStatistics(restored, millis(stage.now)).waits.errorShare, 1);
  });

  test("[ST1] the average wait is that of recent admissions: old ones count less", () => {
    // One seat, and one person in the line, who waits for as long as the other may claim.
    const stage = new QueueStage({ seats: 1, claimTimeoutMs: 1_000 });
    stage.enter("first");
    const averageAfter = (claimTimeoutMs: number, people: number) => {
      stage.do({ type: "configure", changes: { claimTimeoutMs } });
      for (let number = 0; number < people; number++) {
        stage.enter(`p${stage.room.roster.tickets}`);
        stage.goOn(queueDecider.nextDue(stage.room)!);
      }
      return statistics(stage).waits.waitMs;
    };
    averageAfter(1_000, 5);
    const long = averageAfter(10_000, 600);
    assert.ok(Math.abs(long - 10_000) < 100, `${long}`);
    const short = averageAfter(2_000, 600);
    assert.ok(Math.abs(short - 2_000) < 100, `${short}`);
  });

  test("when to ask again is adaptive, jittered, and never so late that the lease could run out", () => {
    const stage = new QueueStage({ seats: 1, heartbeatTimeoutMs: 30_000, sessionDurationMs: 60_000 });
    for (let number = 0; number < 1_000; number++) stage.enter(`p${number}`);
    const seconds = stage.order.map((number) => stage.placeOf(number).askAgainSeconds);
    assert.ok(Math.min(...seconds) >= 0.8 && Math.max(...seconds) <= 12);
    assert.ok(seconds[0] < seconds[900], "people near the front ask more often");
    assert.ok(new Set(seconds.slice(-100)).size > 10, "not all at the same moment");
  });
});
