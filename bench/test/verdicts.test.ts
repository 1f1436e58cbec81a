import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chatVerdicts } from "../src/chat/chat-checks.ts";
import { type Admission, inversionsByTime, inversionsIn, overBound } from "../src/flash/admission-checks.ts";
import { ladderVerdicts } from "../src/ladders/ladder-checks.ts";
import { JoinLedger, type LoggedJoin } from "../src/nodes/join-ledger.ts";

function admissions(...tickets: readonly (readonly [ticket: number, lane: number])[]): Admission[] {
  return tickets.map(([ticket, lane], at) => ({ ticket, lane, at }));
}

test("whoever is admitted after someone of their lane who came later is counted, in any order of telling", () => {
  for (const [all, inversions] of [
    [admissions([1, 0], [2, 0], [9, 3], [3, 0], [4, 0]), 0],
    [admissions([1, 0], [3, 0], [2, 0], [4, 0]), 1],
  ] as const) {
    assert.equal(inversionsIn(all), inversions);
    assert.equal(inversionsByTime(all.toReversed()), inversions);
  }
  const atOnce = admissions([2, 0], [1, 0]).map((each) => ({ ...each, at: 7 }));
  assert.equal(inversionsByTime(atOnce), 0, "in one moment there is no earlier");
});

test("the bound on admissions is that of every window, however they are chosen", () => {
  const times = fc
    .array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 40 })
    .map((values) => values.sort((left, right) => left - right));
  const rates = fc.constantFrom(0.3, 7, 33.333, 500);
  fc.assert(
    fc.property(times, rates, fc.integer({ min: 1, max: 5 }), (at, rate, burst) => {
      let worst = Number.NEGATIVE_INFINITY;
      for (let first = 0; first < at.length; first++) {
        for (let last = first; last < at.length; last++)
          worst = Math.max(worst, last - first + 1 - burst - (rate * (at[last] - at[first])) / 1000);
      }
      assert.ok(Math.abs(overBound(at, rate, burst) - worst) < 1e-6);
    }),
  );
});

test("a join that was lost, was doubled or was told to nobody is found", async () => {
  const join = (person: number, seat: number, game = "game/one"): LoggedJoin => ({ game, person, seat });
  const all = [join(1, 1), join(2, 2), join(3, 3)];
  for (const [logged, lost, wrong] of [
    [[join(1, 1), join(2, 2), join(3, 1, "game/two")], 0, 0],
    [[join(1, 1), join(3, 2)], 1, 0],
    [[...all, join(2, 4)], 0, 1],
    [[join(1, 1), join(2, 2), join(3, 2)], 0, 1],
    [[...all, join(4, 4)], 0, 1],
  ] as const) {
    const ledger = new JoinLedger();
    for (const person of [1, 2, 3]) ledger.acknowledge(person);
    const verdicts = await ledger.verdicts("it", logged);
    assert.deepEqual(
      verdicts.map(({ value }) => value),
      [lost, wrong],
    );
  }
});

test("a match too few, a match twice and a rating from nowhere are found", () => {
  const expected = { acknowledged: 10, counting: 9, ratingSum: 5_000 };
  for (const [matches, history, ratingSum, met] of [
    [9, 20, 5_000 + 1e-9, [true, true]],
    [8, 20, 5_000, [false, true]],
    [9, 22, 5_000, [false, true]],
    [9, 20, 4_999.9, [true, false]],
    [9, 20, Number.NaN, [true, false]],
  ] as const) {
    const verdicts = ladderVerdicts("ladder", { matches, history, ratingSum }, expected);
    assert.deepEqual(
      verdicts.map((verdict) => verdict.met),
      met,
    );
  }
});

test("a duel, a message, an answer and a line that are not as they should be are found", () => {
  const answered = { duelsOpened: 3, duelsEnded: 2, heard: 12, heardTwice: 0, lines: 31 };
  const history = { ...answered, replies: new Map([["a", "You win!"]]) };
  const answers = new Map([["a", '{"data":{"reply":"You win!"}}']]);
  const said = { throws: 5, matches: 2, others: 5, changed: 0, answers };
  for (const [change, missed] of [
    [{}, []],
    [{ duelsEnded: 3 }, ["duels"]],
    [{ heard: 11 }, ["messages"]],
    [{ heardTwice: 1 }, ["messages"]],
    [{ replies: new Map() }, ["answers"]],
    [{ changed: 1 }, ["repeated"]],
    [{ lines: 32 }, ["lines"]],
  ] as const) {
    const verdicts = chatVerdicts({ ...history, ...change }, { ...said, ...change });
    const found = verdicts.filter(({ met }) => !met).map(({ what }) => what.split(" ")[1]);
    assert.deepEqual(found, missed);
  }
});
