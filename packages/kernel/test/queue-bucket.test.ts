import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countsOf, queueDecider } from "@openseat/kernel";
import { Bucket } from "../src/queue/pace/bucket.ts";
import { Chance, QueueStage } from "./queue-stage.ts";
import { millis } from "./room-stage.ts";

const { nextDue } = queueDecider;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** In millionths of a token: the rates here have at most three decimals, so nothing is rounded. */
const tokenParts = 1_000_000;
const partsPerMs = (rate: number) => Math.round(rate * 1_000);

/** The whole tokens that have accrued by now: ⌊burst + rate × t⌋. */
function tokensBy(burst: number, rate: number, ms: number): number {
  return Number((BigInt(burst * tokenParts) + BigInt(partsPerMs(rate)) * BigInt(ms)) / BigInt(tokenParts));
}

/** A queue whose line never becomes empty and whose seats never fill up. */
function crowded(rate: number, burst: number, people: number): QueueStage {
  const stage = new QueueStage({
    ...{ seats: 1_000_000, ratePerSecond: rate, burst, claimTimeoutMs: minute, patienceMs: 10 * hour },
  });
  stage.do({ type: "pause" });
  for (let number = 0; number < people; number++) stage.enter(`p${number}`);
  stage.do({ type: "resume" });
  return stage;
}

describe("the bucket is exact", () => {
  for (const [rate, bursts, spanMs] of [
    [0.3, [2, 10], hour],
    [7, [2, 100], 20 * minute],
    [333.3, [2], minute],
    [0.001, [1, 4], 300 * hour],
    [1_000_000, [1_001], 20],
  ] as const) {
    test(`[AD2][AD4] woken on time, a line at ${rate} per second gives ⌊burst + rate × t⌋ admissions`, () => {
      for (const burst of bursts) {
        const stage = crowded(rate, burst, tokensBy(burst, rate, spanMs) + 10);
        const start = stage.now;
        const steps = 100;
        for (let step = 1; step <= steps; step++) {
          stage.goOn(start + Math.floor((spanMs * step) / steps));
          const expected = tokensBy(burst, rate, stage.now - start);
          assert.equal(countsOf(stage.room).moved, expected, `burst ${burst}, after ${stage.now - start} ms`);
        }
      }
    });
  }

  for (const [rate, burst] of [
    [333.3, 2],
    [7, 2],
    [999.999, 2],
    [1_000_000, 1_001],
  ] as const) {
    test(`[AD2] ${rate} per second with a burst of ${burst}, each token taken at once, for ten minutes`, () => {
      const bucket = new Bucket({ ratePerSecond: rate, burst }, millis(0));
      let taken = 0;
      for (let due = 0; due <= 10 * minute; due = bucket.nextTokenAt()) {
        const tokens = bucket.tokens(millis(due));
        if (tokens < 1) assert.fail(`woken at ${due} for nothing`);
        taken += tokens;
        bucket.take(tokens, millis(due));
        if (taken !== tokensBy(burst, rate, due))
          assert.equal(taken, tokensBy(burst, rate, due), `${due} ms`);
      }
      assert.ok(taken >= rate * 600);
    });
  }

  test("[AD2] late wakes lose nothing while the bucket is not full", () => {
    const chance = new Chance(7);
    for (const [rate, lateMsMax] of [
      [0.3, 5_000],
      [7, 1_500],
      [333.3, 40],
    ] as const) {
      const burst = 2 + Math.ceil((rate * lateMsMax) / second);
      const spanMs = Math.ceil((20_000 * second) / rate);
      const stage = crowded(rate, burst, tokensBy(burst, rate, spanMs) + 10);
      const start = stage.now;
      while (stage.now - start < spanMs) {
        stage.at(nextDue(stage.room)! + chance.below(lateMsMax)).wake();
        const expected = tokensBy(burst, rate, stage.now - start);
        assert.equal(countsOf(stage.room).moved, expected, `rate ${rate}, after ${stage.now - start} ms`);
      }
    }
  });

  test("[AD3] with a burst of one, fractions of a millisecond are lost: fewer admissions, never more", () => {
    for (const [rate, everyMs] of [
      [0.3, 3_334],
      [7, 143],
      [333.3, 4],
      [1_000, 1],
      [5_000, 1],
    ]) {
      const stage = crowded(rate, 1, 2_000);
      const start = stage.now;
      stage.goOn(start + 1_000 * everyMs);
      assert.equal(countsOf(stage.room).moved, 1_001, `one every ${everyMs} ms at ${rate} a second`);
    }
  });

  test("[AD2] after any idle time, even years, there are exactly `burst` tokens", () => {
    for (const rate of [0.001, 7, 333.3, 1_000_000]) {
      for (const silentMs of [hour, 24 * hour, 50 * 365 * 24 * hour]) {
        const bucket = new Bucket({ ratePerSecond: rate, burst: 3 }, millis(0));
        bucket.take(3, millis(0));
        const full = Math.ceil((3 * tokenParts) / partsPerMs(rate));
        assert.equal(
          bucket.tokens(millis(full - 1)),
          Math.floor(((full - 1) * partsPerMs(rate)) / tokenParts),
        );
        assert.equal(bucket.tokens(millis(full)), 3);
        if (silentMs < full) continue;
        assert.equal(bucket.tokens(millis(silentMs)), 3);
        bucket.take(3, millis(silentMs));
        assert.equal(bucket.tokens(millis(silentMs)), 0);
        assert.equal(bucket.nextTokenAt(), silentMs + Math.ceil(tokenParts / partsPerMs(rate)));
      }
    }
  });

  test("[AD2] the largest bucket is exact to the millionth of a token", () => {
    const bucket = new Bucket({ ratePerSecond: 999_999.999, burst: 1_000_000 }, millis(0));
    bucket.take(1_000_000, millis(0));
    for (const now of [1, 2, 3, 997, 999, 1_000]) {
      assert.equal(bucket.tokens(millis(now)), tokensBy(0, 999_999.999, now), `${now} ms`);
    }
    assert.equal(bucket.tokens(millis(1_000)), 999_999);
    assert.equal(bucket.tokens(millis(1_001)), 1_000_000);
  });

  test("[AD2] a clock that was set back adds and removes no tokens", () => {
    const bucket = new Bucket({ ratePerSecond: 10, burst: 2 }, millis(5_000));
    bucket.take(1, millis(5_000));
    assert.equal(bucket.tokens(millis(1_000)), 1);
    bucket.take(1, millis(1_000));
    assert.equal(bucket.tokens(millis(1_000)), 0);
  });

  test("[AD3] taking more than there is and impossible terms are bugs", () => {
    const bucket = new Bucket({ ratePerSecond: 10, burst: 2 }, millis(0));
    assert.throws(() => bucket.take(3, millis(0)), /more admissions than the rate allows/);
    for (const burst of [0, -1, 0.5, 1.0000001, Number.NaN, Number.POSITIVE_INFINITY, 1e15])
      assert.throws(() => new Bucket({ ratePerSecond: 1, burst }, millis(0)), /Impossible/, String(burst));
    for (const ratePerSecond of [0, -1, 0.0004, Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(
        () => new Bucket({ ratePerSecond, burst: 1 }, millis(0)),
        /Impossible/,
        `${ratePerSecond}`,
      );
  });
});

/** The time of each admission that takes a token. */
function admissionTimes(stage: QueueStage): number[] {
  return stage.entries.flatMap(({ at, events }) =>
    events.flatMap((event) => (event.type === "admitted" ? event.tickets.map(() => at) : [])),
  );
}

describe("the rate is a limit", () => {
  test("[AD3] in any window of t seconds at most burst + rate × t are admitted, whatever happens", () => {
    for (const [seed, rate, burst] of [
      [1, 7, 1],
      [2, 7, 3],
      [3, 333.3, 1],
      [4, 333.3, 4],
      [5, 0.3, 2],
    ]) {
      const chance = new Chance(seed);
      const stage = new QueueStage({ seats: 1_000_000, ratePerSecond: rate, burst, claimTimeoutMs: second });
      for (let step = 0; step < 1_500; step++) {
        const passes = chance.of([0, 0, 1, (0.3 * second) / rate, (30 * second) / rate]);
        stage.goOn(stage.now + chance.below(passes + 1), () => chance.below(3));
        if (chance.percent(2)) stage.do({ type: stage.room.paused ? "resume" : "pause" });
        else stage.enter(`p${step}`);
      }
      const times = admissionTimes(stage);
      assert.ok(times.length > 250, `${times.length} admissions`);
      for (let from = 0; from < times.length; from++) {
        for (let to = from; to < times.length; to++) {
          const allowed = burst * tokenParts + partsPerMs(rate) * (times[to] - times[from]);
          if ((to - from + 1) * tokenParts > allowed)
            assert.fail(`seed ${seed}: ${to - from + 1} from ${times[from]} to ${times[to]}`);
        }
      }
    }
  });

  test("[AD3][AD5] a new rate and burst apply from the change on, and saved tokens stay", () => {
    const stage = crowded(2, 4, 500);
    const moved = () => countsOf(stage.room).moved;
    assert.equal(moved(), 4);
    stage.goOn(stage.now + 250);
    const change = (changes: object) => stage.do({ type: "configure", changes });
    change({ ratePerSecond: 100 });
    const start = stage.now;
    stage.goOn(start + 4);
    assert.equal(moved(), 4, "half a token was saved, and four tenths have accrued");
    stage.goOn(start + 5);
    assert.equal(moved(), 5);
    stage.goOn(start + 1_005);
    assert.equal(moved(), 105);

    stage.do({ type: "pause" });
    stage.goOn(stage.now + hour);
    assert.equal(moved(), 105, "nobody while paused");
    change({ burst: 2, ratePerSecond: 0.5 });
    stage.do({ type: "resume" });
    assert.equal(moved(), 107, "of four saved tokens, only the new burst is left");
    change({ burst: 50 });
    assert.equal(moved(), 107, "a larger burst adds no tokens");
    stage.goOn(stage.now + 2_000);
    assert.equal(moved(), 108);

    change({ ratePerSecond: null });
    assert.equal(moved(), 500, "as many as there are free seats");
  });

  test("[LN3][AD1] premium needs a seat but no token", () => {
    const stage = new QueueStage({ seats: 5, ratePerSecond: 0.001, burst: 1 });
    stage.enter("ann");
    stage.enter("bob");
    assert.deepEqual(stage.names, ["bob"], "the only token is spent");
    for (const name of ["kim", "lea", "mia"]) stage.enter(name, 3);
    assert.deepEqual(stage.names, ["bob"], "seats are free, so premium is admitted");
    assert.equal(nextDue(stage.room), stage.now + 30_000, "the first claim times out");
    stage.goOn(stage.now + 1_000_000);
    assert.deepEqual(stage.names, [], "bob's token accrued after exactly a thousand seconds");
    assert.equal(stage.room.lastAdmittedAt, 1_001_000);
  });

  test("[AD1] without a rate, only seats limit admissions", () => {
    const stage = new QueueStage({ seats: 3, ratePerSecond: null, burst: 1 });
    for (let number = 0; number < 10; number++) stage.enter(`p${number}`);
    assert.deepEqual(countsOf(stage.room), { waiting: 7, admitted: 3, active: 0, moved: 3 });
    assert.equal(nextDue(stage.room), 31_000, "a seat that is never claimed");
    stage.goOn(31_000);
    assert.deepEqual(countsOf(stage.room), { waiting: 4, admitted: 3, active: 0, moved: 6 });
  });
});
