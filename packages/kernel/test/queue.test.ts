import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countsOf, type QueueCommand, queueDecider, queueStatusOf } from "@openseat/kernel";
import { queueLimits } from "../src/queue/limits.ts";
import { typesOf } from "./decider-stage.ts";
import { lanesLikeThese, randomCommand, settingsLikeThese } from "./queue-script.ts";
import { about, Chance, createQueue, enter, QueueStage } from "./queue-stage.ts";
import { millis, person, ticket } from "./room-stage.ts";

const { decide, nextDue, listing, tick } = queueDecider;
const { fingerprint } = queueDecider.keys;

describe("admission", () => {
  test("[AD4] a tick at the due time always has an effect, and one before it has none", () => {
    for (const [name, chosen] of Object.entries({ ...lanesLikeThese, ...settingsLikeThese })) {
      for (let seed = 31; seed <= 33; seed++) {
        const chance = new Chance(seed);
        const stage = new QueueStage(chosen.terms(chance));
        const eventsAt = (now: number) => {
          const decision = decide(stage.room, tick, millis(now));
          return "events" in decision ? decision.events.length : assert.fail("a tick was refused");
        };
        for (let step = 0; step < 300; step++) {
          stage.goOn(stage.now + chosen.passes(chance));
          const decision = decide(stage.room, randomCommand(stage, chance, step, chosen), millis(stage.now));
          if ("events" in decision) stage.write(decision.events);
          const due = nextDue(stage.room);
          const words = `${name}, seed ${seed}, step ${step}`;
          assert.equal(eventsAt(Math.max(stage.now, (due ?? 1e15) - 1)), 0, words);
          if (due === undefined) continue;
          for (const late of [0, 1, 10_000, 1e12]) assert.ok(eventsAt(due + late) > 0, words);
        }
      }
    }
  });

  test("[AD4][AD8] a free seat goes to the front of the line in the entry that freed it, for any reason", () => {
    const endings: Record<string, (stage: QueueStage) => unknown> = {
      completion: (stage) => stage.do(about("complete", 1, "ann")),
      leaving: (stage) => stage.do(about("leave", 1, "ann")),
      termination: (stage) => stage.do(about("terminate", 1)),
      silence: (stage) => stage.do({ type: "expire", tickets: [ticket(1)], reason: "session_timeout" }),
      "the end of its time": (stage) => stage.goOn(61_000),
    };
    for (const [name, end] of Object.entries(endings)) {
      const stage = new QueueStage({ seats: 1 });
      stage.enter("ann");
      stage.do(about("claim", 1, "ann"));
      stage.enter("bob");
      stage.enter("cid");
      const entries = stage.version;
      end(stage);
      assert.equal(stage.version, entries + 1, name);
      assert.deepEqual(countsOf(stage.room), { waiting: 1, admitted: 1, active: 0, moved: 2 }, name);
      assert.equal(stage.room.roster.stateOf(ticket(2)), "admitted", name);
    }
  });

  test("[AD6] an unclaimed admission expires exactly on time, and its seat goes to the next person", () => {
    const stage = new QueueStage({ seats: 1, claimTimeoutMs: 5_000 });
    for (const name of ["ann", "bob"]) stage.enter(name);
    assert.equal(nextDue(stage.room), 6_000);
    stage.at(5_999).do(about("claim", 1));
    assert.equal(nextDue(stage.room), 65_999, "now it is the session that ends");
    stage.do(about("complete", 1));
    stage.goOn(10_998);
    assert.equal(stage.room.admitted, 1);
    stage.goOn(10_999);
    assert.deepEqual(countsOf(stage.room), { waiting: 0, admitted: 0, active: 0, moved: 2 });
    assert.equal(stage.room.roster.stateOf(ticket(2)), "expired");
    assert.equal(nextDue(stage.room), undefined);
  });

  test("[AD6][AD8] a session that ends at the moment of its claim timeout ends once", () => {
    for (const [claimTimeoutMs, claimedAt] of [
      [5_000, 1_000],
      [8_000, 4_000],
    ]) {
      const stage = new QueueStage({ seats: 1, claimTimeoutMs, sessionDurationMs: 5_000 });
      stage.enter("ann");
      stage.at(claimedAt).do(about("claim", 1));
      assert.deepEqual(typesOf(stage.goOn(1_000 + claimTimeoutMs)), ["expired"]);
      assert.deepEqual(countsOf(stage.room), { waiting: 0, admitted: 0, active: 0, moved: 1 });
    }
  });

  test("[RM1][RM2] lowering the seats removes nobody: admissions stop until the count has fallen", () => {
    const stage = new QueueStage({ seats: 5 });
    for (let number = 0; number < 8; number++) stage.enter(`p${number}`);
    stage.do({ type: "configure", changes: { seats: 2 } });
    assert.equal(stage.room.admitted, 5);
    for (const number of [1, 2, 3])
      assert.equal(stage.do(about("leave", number)).length, 1, "nobody moves up");
    assert.equal(stage.do(about("leave", 4)).length, 2, "one of two seats is free");
    const [, admitted] = stage.do({ type: "configure", changes: { seats: 3 } });
    assert.ok(
      admitted.type === "admitted" && admitted.tickets.length === 1,
      "raising it admits people at once",
    );
  });

  test("[AD5] a pause stops admissions, keeps every place, and allows entering, claiming and leaving; a resume admits at once", () => {
    const stage = new QueueStage({ seats: 3 });
    stage.enter("ann");
    stage.do({ type: "pause" });
    assert.equal(queueStatusOf(stage.room), "PAUSED");
    for (const name of ["bob", "cid", "dan"]) stage.enter(name, 3);
    stage.do(about("claim", 1));
    stage.do(about("complete", 1));
    stage.do(about("leave", 3));
    stage.do({ type: "configure", changes: { seats: 1 } });
    assert.deepEqual(stage.names, ["bob", "dan"]);
    assert.equal(nextDue(stage.room), undefined);
    const [, admitted] = stage.do({ type: "resume" });
    assert.ok(admitted.type === "admitted");
    assert.deepEqual(admitted.tickets, [2]);
  });

  test("[AD5] claims and sessions run out during a pause too", () => {
    const stage = new QueueStage({ seats: 2, claimTimeoutMs: 5_000 });
    for (const name of ["ann", "bob", "cid"]) stage.enter(name);
    stage.do({ type: "pause" });
    stage.goOn(6_000);
    assert.deepEqual(countsOf(stage.room), { waiting: 1, admitted: 0, active: 0, moved: 2 });
  });

  test("[AD4] when more people can be admitted or expire than one entry holds, the next entries follow at once", () => {
    const max = queueLimits.eventTicketsMax;
    const stage = new QueueStage({
      seats: 3 * max,
      ratePerSecond: 7,
      burst: 2 * max + 100,
      claimTimeoutMs: 5_000,
    });
    stage.do({ type: "pause" });
    for (let number = 0; number < 3 * max; number++) stage.enter(`p${number}`);
    stage.at(2_000).do({ type: "resume" });
    assert.equal(stage.room.admitted, max);
    assert.equal(nextDue(stage.room), 2_000);
    const sizes = stage.wake().map((event) => (event.type === "admitted" ? event.tickets.length : 0));
    assert.deepEqual(sizes, [max, 100]);
    assert.equal(nextDue(stage.room), 2_143, "from here on the rate limits admission");
    stage.do({ type: "pause" });
    const expired = stage.at(9_000).wake();
    assert.deepEqual(
      expired.map((event) => event.type === "expired" && event.tickets.length),
      [max, max, 100],
    );
  });

  test("[AD4] the same for premium and for a room without a rate", () => {
    const max = queueLimits.eventTicketsMax;
    for (const [lane, ratePerSecond] of [
      [3, 0.001],
      [0, null],
    ] as const) {
      const stage = new QueueStage({ seats: 2 * max, ratePerSecond });
      stage.do({ type: "pause" });
      for (let number = 0; number < max + 5; number++) stage.enter(`p${number}`, lane);
      stage.at(5_000).do({ type: "resume" });
      assert.ok(nextDue(stage.room)! <= stage.now);
      stage.wake();
      assert.equal(stage.room.line.length, 0);
    }
  });
});

describe("the public view of a waiting room", () => {
  test("[RM6] its status follows from whether it is paused, in the room and in its listing, with the counts", () => {
    const stage = new QueueStage({ seats: 1 });
    for (const name of ["ann", "bob"]) stage.enter(name);
    const { status, summary } = listing(stage.room);
    assert.equal(status, "OPEN");
    const { waiting, admitted, active, moved, seats } = summary;
    assert.deepEqual({ waiting, admitted, active, moved }, countsOf(stage.room));
    assert.deepEqual([waiting, seats], [1, 1]);
    stage.do({ type: "pause" });
    assert.equal(listing(stage.room).status, "PAUSED");
    assert.doesNotMatch(JSON.stringify(stage.saved.head), /OPEN|PAUSED|status/);
  });

  test("[ID2] two commands have one fingerprint exactly when they ask the same", () => {
    const bare = enter("ann") as Extract<QueueCommand, { type: "enter" }>;
    const different: QueueCommand[] = [
      createQueue(),
      createQueue({ seats: 2 }),
      createQueue({ lanes: [] }),
      createQueue({ placesPerAddressMax: 4 }),
      { type: "configure", changes: { seats: 2 } },
      { type: "configure", changes: { seats: 3 } },
      { type: "pause" },
      { type: "resume" },
      bare,
      { ...bare, lane: 2 },
      { ...bare, metadata: "{}" },
      { ...bare, onBehalf: true },
      { ...bare, onBehalf: true, person: person("bob") },
      ...(["leave", "claim", "complete", "terminate"] as const).flatMap((type) => [
        about(type, 1),
        about(type, 12),
      ]),
    ];
    assert.equal(new Set(different.map(fingerprint)).size, different.length);
    // The key already belongs to the person, and the address is not part of the request.
    assert.equal(fingerprint({ ...bare, address: "home", userAgent: "curl" }), fingerprint(bare));
    assert.equal(fingerprint(about("claim", 1, "ann")), fingerprint(about("claim", 1, "ann")));
  });
});
