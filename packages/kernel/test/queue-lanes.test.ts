import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultLanes, type Lane, type QueueEvent, queueDecider } from "@openseat/kernel";
import { typesOf } from "./decider-stage.ts";
import { about, Chance, QueueStage, type StageTerms } from "./queue-stage.ts";
import { ticket } from "./room-stage.ts";

const normal = 0;
const elevated = 1;
const vip = 2;
const premium = 3;

/** A room whose only seat is taken, so that everybody who enters waits. */
function fullHouse(terms: StageTerms = {}): QueueStage {
  const stage = new QueueStage({ seats: 1, claimTimeoutMs: 1e9, sessionDurationMs: 1e9, ...terms });
  stage.enter("inside");
  return stage;
}

function enterAll(stage: QueueStage, prefix: string, lane: number, count: number): void {
  for (let number = 1; number <= count; number++) stage.enter(`${prefix}${number}`, lane);
}

function enteredIn(events: readonly QueueEvent[]) {
  const [event] = events;
  assert.ok(event.type === "entered");
  return event;
}

describe("where a newcomer is placed: min(⌊s × n⌋, n − bound) behind", () => {
  test("[LN1] within a lane first come, first admitted, by ticket, even at the same moment", () => {
    for (let lane = normal; lane <= premium; lane++) {
      const stage = fullHouse();
      enterAll(stage, "p", lane, 20);
      assert.deepEqual(
        stage.order,
        Array.from({ length: 20 }, (_, index) => index + 2),
        defaultLanes[lane].name,
      );
    }
  });

  test("[LN2] a lane with the share s is placed ahead of ⌊s × n⌋ of n waiting people, unless a bound applies", () => {
    for (const [lane, n, behind] of [
      [normal, 10, 0],
      [elevated, 9, 0],
      [elevated, 10, 1],
      [elevated, 19, 1],
      [elevated, 20, 2],
      [vip, 1, 0],
      [vip, 2, 1],
      [vip, 7, 3],
      [vip, 100, 50],
      [premium, 1, 1],
      [premium, 33, 33],
    ]) {
      const stage = fullHouse();
      enterAll(stage, "n", normal, n);
      const entered = enteredIn(stage.enter("new", lane));
      assert.equal(entered.behind, behind, `${defaultLanes[lane].name} in a line of ${n}`);
      assert.equal(stage.names.indexOf("new"), n - behind);
    }
  });

  test("[LN2] a share is exact: 0.29 of 100 is 29, and 0.57 of 100 is 57", () => {
    const shares = [0.001, 0.07, 0.14, 0.29, 0.57, 0.58, 0.999, 1];
    const lanes: Lane[] = [
      { name: "normal", skips: 0, immediate: false },
      ...shares.map((skips) => ({ name: `s${skips}`, skips, immediate: false })),
    ];
    for (const people of [100, 1_000]) {
      for (const [index, skips] of shares.entries()) {
        const stage = fullHouse({ lanes });
        enterAll(stage, "n", normal, people);
        const { behind } = enteredIn(stage.enter("new", index + 1));
        assert.equal(
          behind,
          Math.floor(Math.round(skips * 1_000) * (people / 1_000)),
          `${skips} of ${people}`,
        );
      }
    }
  });

  test("[LN1] nobody is placed ahead of the last of the same lane, so VIPs keep their order", () => {
    const stage = fullHouse();
    enterAll(stage, "n", normal, 4);
    enterAll(stage, "v", vip, 4);
    assert.deepEqual(stage.names, ["n1", "n2", "v1", "v2", "v3", "v4", "n3", "n4"]);
  });

  test("[LN3] only an immediate lane could be placed ahead of an immediate one; premium goes behind other premiums", () => {
    const stage = fullHouse();
    enterAll(stage, "n", normal, 4);
    enterAll(stage, "p", premium, 6);
    assert.deepEqual(stage.names.slice(0, 7), ["p1", "p2", "p3", "p4", "p5", "p6", "n1"]);
    stage.enter("v1", vip);
    assert.equal(stage.names[6], "v1", "half of ten would be five behind, but only four are not premium");
    assert.deepEqual(stage.names.slice(7), ["n1", "n2", "n3", "n4"]);
  });

  test("[LN3] an immediate lane that skips nothing is not overtaken either", () => {
    const lanes: Lane[] = [
      { name: "normal", skips: 0, immediate: false },
      { name: "called", skips: 0, immediate: true },
      { name: "front", skips: 1, immediate: false },
    ];
    const stage = fullHouse({ lanes });
    for (const [name, lane] of [
      ["n1", 0],
      ["c1", 1],
      ["n2", 0],
      ["f1", 2],
    ] as const)
      stage.enter(name, lane);
    assert.deepEqual(stage.names, ["n1", "c1", "f1", "n2"]);
  });

  test("[LN4] nobody who has waited strictly longer than the patience is overtaken, premium included", () => {
    const stage = fullHouse({ patienceMs: 1_000 });
    stage.at(2_000).enter("n1");
    stage.at(2_500).enter("n2");
    stage.at(3_000).enter("p1", premium);
    assert.deepEqual(stage.names, ["p1", "n1", "n2"], "n1 has waited exactly as long as the patience");
    stage.at(3_001).enter("p2", premium);
    assert.deepEqual(stage.names, ["p1", "n1", "p2", "n2"], "n1 is settled now; n2 is not");
    stage.at(3_600).enter("p3", premium);
    stage.enter("v1", vip);
    assert.deepEqual(stage.names, ["p1", "n1", "p2", "n2", "p3", "v1"]);
  });

  test("[LN4] people ahead of a settled person are settled too, and stay settled", () => {
    const stage = fullHouse({ patienceMs: 1_000 });
    stage.at(2_000).enter("n1");
    stage.at(3_000).enter("n2");
    stage.at(3_000).enter("v1", vip);
    assert.deepEqual(stage.names, ["n1", "v1", "n2"]);
    stage.at(4_001).enter("p1", premium);
    assert.deepEqual(stage.names, ["n1", "v1", "n2", "p1"], "all three have waited longer than a second");
    // The last one leaves; those ahead stay settled, even if the patience is raised.
    stage.do({ type: "configure", changes: { patienceMs: 3_600_000 } });
    stage.do(about("leave", 3));
    stage.do(about("leave", 5));
    stage.enter("p2", premium);
    assert.deepEqual(stage.names, ["n1", "v1", "p2"]);
    stage.do(about("leave", 2));
    stage.enter("p3", premium);
    stage.enter("n3");
    assert.deepEqual(stage.names, ["v1", "p2", "p3", "n3"]);
    stage.do(about("leave", 4));
    stage.enter("p4", premium);
    assert.deepEqual(
      stage.names,
      ["p2", "p3", "p4", "n3"],
      "the settled people are gone, so only lanes count",
    );
  });

  test("[LN4][AD5] a shorter patience applies at once, a longer one unsettles nobody", () => {
    const stage = fullHouse({ patienceMs: 600_000 });
    enterAll(stage, "n", normal, 3);
    stage.at(2_000).do({ type: "configure", changes: { patienceMs: 999 } });
    stage.enter("p1", premium);
    assert.deepEqual(stage.names, ["n1", "n2", "n3", "p1"]);
    stage.do({ type: "configure", changes: { patienceMs: 86_400_000 } });
    stage.at(60_000).enter("p2", premium);
    assert.deepEqual(stage.names, ["n1", "n2", "n3", "p1", "p2"]);
    stage.enter("n4");
    stage.enter("v1", vip);
    assert.deepEqual(stage.names.slice(5), ["v1", "n4"], "later arrivals can still be overtaken");
  });

  test("[LN4] with a patience of zero, only people of the same moment are overtaken", () => {
    const stage = fullHouse({ patienceMs: 0 });
    stage.at(2_000).enter("n1");
    stage.enter("p1", premium);
    stage.at(2_001).enter("p2", premium);
    stage.enter("n2");
    stage.enter("p3", premium);
    assert.deepEqual(stage.names, ["p1", "n1", "p2", "p3", "n2"]);
  });

  test("[LN4] so waiting is bounded: under an endless stream of premiums everyone is admitted", () => {
    const stage = new QueueStage({
      seats: 1,
      patienceMs: 10_000,
      sessionDurationMs: 1_000,
      claimTimeoutMs: 1_000,
    });
    enterAll(stage, "n", normal, 5);
    for (let number = 0; number < 100; number++) {
      stage.goOn(stage.now + 500);
      stage.enter(`p${number}`, premium);
    }
    assert.ok(!stage.names.some((name) => name.startsWith("n")));
  });
});

describe("positions", () => {
  test("[LN5][LN6] a position gets worse only by newcomers placed ahead, by one each, and never after the patience", () => {
    for (let seed = 1; seed <= 3; seed++) {
      const chance = new Chance(seed);
      const patienceMs = chance.of([300, 2_000]);
      const stage = new QueueStage({ seats: 2, ratePerSecond: 4, patienceMs, claimTimeoutMs: 700 });
      let before = new Map<number, number>();
      for (let step = 0; step < 1_000; step++) {
        const at = stage.now;
        stage.goOn(at + chance.below(120));
        const roll = chance.below(10);
        const victim = chance.of([...stage.order, 0]);
        if (roll < 7) stage.enter(`p${step}`, chance.below(4));
        else if (victim > 0) stage.do(about("leave", victim));
        const newcomer = roll < 7 ? stage.order.indexOf(stage.room.roster.tickets) + 1 : 0;
        const after = new Map(stage.order.map((number, index) => [number, index + 1]));
        for (const [number, position] of after) {
          const was = before.get(number);
          if (was === undefined) continue;
          const waitedMs = stage.now - stage.room.roster.enteredAt(ticket(number));
          const isOvertaken = newcomer > 0 && newcomer < position;
          const worstAllowed = was + (isOvertaken && waitedMs <= patienceMs ? 1 : 0);
          assert.ok(
            position <= worstAllowed,
            `seed ${seed}, step ${step}: ${number} from ${was} to ${position}`,
          );
        }
        before = after;
      }
    }
  });

  test("[LN5][LN7] a position is one more than the people ahead, and falls at once when one of them goes", () => {
    const stage = fullHouse();
    enterAll(stage, "n", normal, 5);
    const positions = () => [2, 3, 4, 5, 6].map((number) => stage.placeOf(number).position);
    assert.deepEqual(positions(), [1, 2, 3, 4, 5]);
    stage.do(about("leave", 3));
    assert.deepEqual(positions(), [1, 0, 2, 3, 4]);
    stage.do({ type: "expire", tickets: [ticket(2), ticket(5)], reason: "heartbeat_timeout" });
    assert.deepEqual(positions(), [0, 0, 1, 0, 2]);
    stage.enter("p1", premium);
    assert.deepEqual(positions(), [0, 0, 2, 0, 3]);
  });

  test("[LN3] premium is admitted as soon as a seat is free; behind settled people it waits for them, by LN4", () => {
    const stage = new QueueStage({
      seats: 2,
      ratePerSecond: 0.01,
      burst: 1,
      patienceMs: 1_000,
      claimTimeoutMs: 1e9,
    });
    stage.enter("a");
    stage.enter("n1");
    assert.deepEqual(typesOf(stage.enter("p1", premium)), ["entered", "admitted"]);
    stage.enter("p2", premium);
    assert.deepEqual(stage.names, ["p2", "n1"], "no seat");
    stage.do(about("leave", 1));
    assert.deepEqual(stage.names, ["n1"], "a seat without a token: premium is admitted");
    stage.at(5_000).enter("p3", premium);
    assert.deepEqual(stage.names, ["n1", "p3"], "n1 is settled by now");
    stage.do(about("leave", 3));
    assert.deepEqual(stage.names, ["n1", "p3"], "there is a seat, and n1's token comes first");
    stage.do({ type: "configure", changes: { seats: 3 } });
    stage.goOn(queueDecider.nextDue(stage.room)!);
    assert.deepEqual(stage.names, [], "p3 is admitted with n1, because premium needs no token");
    assert.equal(stage.now, 101_000);
  });
});
