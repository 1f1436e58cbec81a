import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type LadderCommand,
  ladderDecider,
  type PlayerNumber,
  standingOf,
  standingsAfter,
} from "@openseat/kernel";
import fc from "fast-check";
import { Chance } from "../queue-stage.ts";
import { millis } from "../room-stage.ts";
import { anyTerms, kinds, randomCommand, type Step, script } from "./script.ts";
import { enrol, LadderStage, report } from "./stage.ts";

const { decide, listing, nextDue, tick } = ladderDecider;
const { restore, save } = ladderDecider.snapshots;

/** The answers to all queries of a ladder, as they would be sent. */
function answersOf({ ladder }: LadderStage): string {
  const players = Array.from({ length: ladder.players.size }, (_, row) =>
    standingOf(ladder, (row + 1) as PlayerNumber),
  );
  const standings = standingsAfter(ladder, undefined, 100);
  return JSON.stringify([players, standings, listing(ladder), nextDue(ladder), [...ladder.pending]]);
}

function assertAlike(stage: LadderStage, other: LadderStage): void {
  assert.deepEqual(save(other.ladder), stage.saved);
  assert.equal(answersOf(other), answersOf(stage));
}

/** Runs both ladders through the same steps. Before each step, `change` may replace the second. */
function runAlike(
  stage: LadderStage,
  other: LadderStage,
  steps: readonly Step[],
  change: (step: number) => void,
): void {
  const act = (command: LadderCommand) => {
    other.now = stage.now;
    const decision = decide(stage.ladder, command, millis(stage.now));
    assert.deepEqual(decide(other.ladder, command, millis(stage.now)), decision);
    if ("refusal" in decision) return;
    stage.write(decision.events);
    other.write(decision.events);
  };
  for (const [index, { choice, passesMs }] of steps.entries()) {
    stage.now += passesMs;
    for (let due = nextDue(stage.ladder); due !== undefined && due <= stage.now; due = nextDue(stage.ladder))
      act(tick);
    change(index);
    act(randomCommand(stage, choice));
  }
  assertAlike(stage, other);
}

describe("a ladder that is saved and restored", () => {
  for (const [name, kind] of Object.entries(kinds)) {
    test(`[LG5] at random points of a random run, equals the one that kept running: ${name}`, () => {
      const property = fc.property(fc.nat(), script(200), (seed, steps) => {
        const chance = new Chance(seed);
        const terms = anyTerms(kind, chance);
        const other = new LadderStage(terms);
        const stage = new LadderStage(terms);
        runAlike(stage, other, steps, () => {
          if (!chance.percent(10)) return;
          other.ladder = other.restored;
          assertAlike(stage, other);
        });
      });
      fc.assert(property, { numRuns: 25 });
    });

    test(`[LG5] replayed from its log, it is the same and behaves the same: ${name}`, () => {
      const property = fc.property(fc.nat(), script(200), script(40), (seed, steps, more) => {
        const terms = anyTerms(kind, new Chance(seed));
        const stage = new LadderStage(terms);
        runAlike(stage, new LadderStage(terms), steps, () => {});
        const other = new LadderStage(terms);
        other.ladder = stage.replayed;
        assertAlike(stage, other);
        runAlike(stage, other, more, () => {});
      });
      fc.assert(property, { numRuns: 20 });
    });
  }

  test("[LG5] a snapshot does not change while the ladder does", () => {
    const property = fc.property(fc.nat(), script(100), script(60), (seed, steps, more) => {
      const terms = anyTerms(kinds["Glicko-2"], new Chance(seed));
      const stage = new LadderStage(terms);
      runAlike(stage, new LadderStage(terms), steps, () => {});
      const saved = stage.saved;
      const then = structuredClone(saved);
      const other = new LadderStage(terms);
      other.ladder = stage.replayed;
      runAlike(stage, other, more, () => {});
      assert.deepEqual(saved, then);
    });
    fc.assert(property, { numRuns: 25 });
  });

  test("[LG5] names of any script are restored", () => {
    const stage = new LadderStage();
    const names = ["Zoë", "李雷", "🦊 fox", "אבי", "a".repeat(100), "\ud83d alone"];
    for (const [index, name] of names.entries()) stage.do({ ...enrol(`p${index}`), name } as LadderCommand);
    const ladder = stage.restored;
    for (const [index, name] of names.entries())
      assert.equal(ladder.players.nameOf((index + 1) as PlayerNumber), name);
  });

  test("[LG5] a snapshot of another shape is not restored", () => {
    const { head, columns } = save(new LadderStage().enrol("ann", "bob").play("ann 1:0 bob").ladder);
    assert.throws(() => restore({ head: { ...head, shape: 0 }, columns }), /^Error: Impossible: a snapshot/);
    assert.throws(
      () => restore({ head, columns: { ...columns, names: new Uint8Array() } }),
      /^Error: Impossible: a snapshot/,
    );
  });
});

describe("an inconsistent log", () => {
  const stage = () => new LadderStage().enrol("ann", "bob").play("ann 1:0 bob");

  test("[LG5] throws instead of giving a player a wrong rating", () => {
    const [counted] = stage().do(report("ann 1:0 bob"));
    const [, ann] = stage().entries.map(({ events }) => events[0]);
    const impossible: [RegExp, object][] = [
      [/rated from other ratings/, { ...counted, before: [1000, 984] }],
      [/out of order/, { ...counted, match: 4 }],
      [/enrolled twice/, { ...ann }],
      [/out of order/, { ...ann, person: "cid", player: 7 }],
      [/came back who had not left/, { type: "returned", player: 1, name: "Ann" }],
      [/created twice/, stage().entries[0].events[0]],
      [/unknown type/, { type: "promoted", player: 1 }],
    ];
    for (const [words, event] of impossible)
      assert.throws(() => stage().write([event as never]), words, JSON.stringify(event));
    const gone = new LadderStage().enrol("ann");
    gone.write([{ type: "left", player: 1 as PlayerNumber }]);
    assert.throws(() => gone.write([{ type: "left", player: 1 as PlayerNumber }]), /was not on it/);
    assert.throws(() => ladderDecider.evolve(undefined, ann, millis(1), 1), /before the ladder was created/);
  });
});
