import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { queueDecider, queuePlace, queueStatistics, type Saved } from "@openseat/kernel";
import { queueLimits } from "../src/queue/limits.ts";
import { throughBytes } from "./decider-stage.ts";
import { lanesLikeThese, type Mix, mix, randomCommand, settingsLikeThese } from "./queue-script.ts";
import { about, Chance, enter, QueueStage } from "./queue-stage.ts";
import { millis, person, ticket, withLimits } from "./room-stage.ts";

const { decide, nextDue, listing, tick } = queueDecider;
const { save, restore } = queueDecider.snapshots;

/** Asserts that both queues answer every query alike. */
function assertAlike(stage: QueueStage, other: QueueStage): void {
  assert.deepEqual(save(other.room), stage.saved);
  assert.deepEqual(listing(other.room), listing(stage.room));
  assert.equal(nextDue(other.room), nextDue(stage.room));
  assert.deepEqual(other.order, stage.order);
  const now = millis(stage.now);
  assert.deepEqual(queueStatistics(other.room, now), queueStatistics(stage.room, now));
  for (const number of [...stage.order.slice(0, 20), ...stage.room.agenda])
    assert.deepEqual(other.placeOf(number), stage.placeOf(number));
}

/** Runs both queues through the same steps. Sometimes the second is saved and restored. */
function runAlike(
  stage: QueueStage,
  other: QueueStage,
  chance: Chance,
  chosen: Mix,
  saves: (step: number) => boolean,
): void {
  for (let step = 0; step < chosen.steps; step++) {
    stage.goOn(stage.now + chosen.passes(chance));
    other.goOn(stage.now);
    if (saves(step)) {
      other.room = other.restored;
      assertAlike(stage, other);
    }
    const command = randomCommand(stage, chance, step, chosen);
    const decision = decide(stage.room, command, millis(stage.now));
    assert.deepEqual(decide(other.room, command, millis(stage.now)), decision, `step ${step}`);
    if ("refusal" in decision) continue;
    stage.write(decision.events);
    other.write(decision.events);
  }
  assertAlike(stage, other);
}

/** With fewer places kept than by default: otherwise half a million people would have to come and go. */
const keepingFew = (run: () => void) => () => withLimits(queueLimits, { overKeptMax: 2_048 }, run);

describe("a waiting room that is saved and restored", () => {
  const mixes = { ...lanesLikeThese, ...settingsLikeThese };
  for (const [name, chosen] of Object.entries(mixes)) {
    test(`[LG5] at every step of a random run, equals the one that kept running: ${name}`, () => {
      for (let seed = 1; seed <= 2; seed++) {
        const terms = chosen.terms(new Chance(seed));
        const [stage, other] = [new QueueStage(terms), new QueueStage(terms)];
        runAlike(stage, other, new Chance(seed), { ...chosen, steps: 300 }, () => true);
      }
    });
  }

  test("[LG5] with a limit by address, counts only live places", () => {
    const stage = new QueueStage({ seats: 1, placesPerAddressMax: 2 });
    for (const name of ["ann", "bob", "cid", "dan"]) stage.enter(name, 0, name < "c" ? "home" : "work");
    stage.do(about("leave", 2));
    const room = stage.restored;
    for (const [address, code] of [
      ["home", undefined],
      ["work", "limit.address"],
      ["away", undefined],
    ] as const) {
      const decision = decide(room, enter("eve", 0, address), millis(stage.now));
      assert.equal("refusal" in decision ? decision.refusal.code : undefined, code, address);
    }
  });

  test(
    "[LG5] after places were forgotten, equals the one that kept running",
    keepingFew(() => {
      const terms = {
        seats: 4,
        ratePerSecond: 5,
        burst: 3,
        claimTimeoutMs: 400,
        sessionDurationMs: 3_600_000,
      };
      const stage = new QueueStage(terms);
      stage.enter("stays-inside");
      stage.do(about("claim", 1));
      for (let number = 0; number < 40; number++) stage.enter(`waits-${number}`, number % 3);
      passThrough(stage, 2 * queueLimits.overKeptMax);
      assert.ok(stage.room.roster.remembered < stage.room.roster.tickets, "some are forgotten");

      const other = new QueueStage(terms);
      other.room = stage.restored;
      other.at(stage.now).version = stage.version;
      assertAlike(stage, other);
      const chosen = mix({ steps: 400, operator: 5 });
      runAlike(stage, other, new Chance(9), chosen, (step) => step % 40 === 0);
      // On to the next time that places are forgotten, which must be the same in both.
      for (const each of [stage, other]) passThrough(each, queueLimits.overKeptMax);
      assertAlike(stage, other);
    }),
  );

  test(
    "[LG5] stays as it was saved while the room goes on changing, forgetting included",
    keepingFew(() => {
      const stage = new QueueStage({ seats: 2, ratePerSecond: 5, burst: 2, placesPerAddressMax: 100_000 });
      const chance = new Chance(4);
      const saves: { saved: Saved; copy: Saved }[] = [];
      const chosen = mix({ steps: 100, operator: 0 });
      for (let round = 0; round < 8; round++) {
        for (let step = 0; step < chosen.steps; step++) {
          stage.goOn(stage.now + chosen.passes(chance));
          const decision = decide(stage.room, randomCommand(stage, chance, step, chosen), millis(stage.now));
          if ("events" in decision) stage.write(decision.events);
        }
        const saved = stage.saved;
        saves.push({ saved, copy: structuredClone(saved) });
        if (round === 5) passThrough(stage, queueLimits.overKeptMax + 10);
      }
      for (const { saved, copy } of saves) assert.deepEqual(saved, copy);
    }),
  );
});

/** Premium people come and go: they need no token. */
function passThrough(stage: QueueStage, people: number): void {
  stage.do({ type: "configure", changes: { seats: 100 } });
  for (let number = 0; number < people; number++) {
    const [entered] = stage.enter(`passes-${stage.room.roster.tickets}`, 3);
    assert.equal(entered.type, "entered");
    stage.do(about("leave", stage.room.roster.tickets));
  }
}

describe("the log", () => {
  test("[LG5] replayed from its beginning gives the same room, at any point of any run", () => {
    for (const [name, chosen] of Object.entries({ ...lanesLikeThese, ...settingsLikeThese })) {
      for (const seed of [11]) {
        const chance = new Chance(seed);
        const stage = new QueueStage(chosen.terms(chance));
        for (let step = 0; step < 400; step++) {
          stage.goOn(stage.now + chosen.passes(chance));
          const decision = decide(stage.room, randomCommand(stage, chance, step, chosen), millis(stage.now));
          if ("events" in decision) stage.write(decision.events);
          if (step % 80 !== 79) continue;
          const other = new QueueStage({}, stage.now);
          other.room = stage.replayed;
          assertAlike(stage, other);
          const next = randomCommand(stage, new Chance(step), step, chosen);
          assert.deepEqual(
            decide(other.room, next, millis(stage.now + 5)),
            decide(stage.room, next, millis(stage.now + 5)),
            `${name}, seed ${seed}, step ${step}`,
          );
        }
      }
    }
  });

  test("[LG5] decisions and questions change nothing: only events change a room", () => {
    for (const chosen of Object.values({ ...lanesLikeThese, ...settingsLikeThese })) {
      const chance = new Chance(21);
      const stage = new QueueStage(chosen.terms(chance));
      for (let step = 0; step < 120; step++) {
        stage.goOn(stage.now + chosen.passes(chance));
        const before = structuredClone(stage.saved);
        const due = nextDue(stage.room);
        for (const later of [0, 3, 5_000, 700_000]) {
          const command = randomCommand(stage, chance, step, chosen);
          decide(stage.room, command.type === "expire" ? tick : command, millis(stage.now + later));
          queuePlace(stage.room, ticket(1 + chance.below(50)), undefined, millis(stage.now + later));
          queueStatistics(stage.room, millis(stage.now + later));
          decide(stage.room, enter(person(`new-${later}`), 2), millis(stage.now + later));
        }
        assert.deepEqual(stage.saved, before, `step ${step}`);
        assert.equal(nextDue(stage.room), due);
        const decision = decide(stage.room, randomCommand(stage, chance, step, chosen), millis(stage.now));
        if ("events" in decision) stage.write(decision.events);
      }
    }
  });

  test("[LG12] [LG5] a snapshot of another shape is not restored; one without a version is", () => {
    const stage = new QueueStage({});
    const saved = throughBytes(stage.saved);
    assert.equal(saved.head.shape, 1);
    for (const shape of [0, 2, "1", null])
      assert.throws(
        () => restore({ ...saved, head: { ...saved.head, shape } }),
        /^Error: Impossible: a snapshot/,
        String(shape),
      );
    const { shape: _, ...older } = saved.head;
    assert.deepEqual(save(restore({ ...saved, head: older })), stage.saved);
  });
});
