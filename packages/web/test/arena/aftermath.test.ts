import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  aftermathIn,
  isResultShown,
  isSettled,
  isYourTurn,
  nextChangeAtMs,
  tableShown,
  wordsShown,
} from "../../src/arena/aftermath.ts";
import { ended, playing, seated, sight, viewOf } from "./stage.ts";

const last = { ...sight, cells: sight.cells.with(0, "X") };
const aftermath = { match: ended, endedAtMs: 0 };
const after = viewOf({ lastMatch: ended, lastSight: last });

describe("the end of a match", () => {
  test("is noticed if it happens while watching, not if it was there before", () => {
    assert.deepEqual(aftermathIn(viewOf(), after, 7), { match: ended, endedAtMs: 7 });
    assert.equal(aftermathIn(undefined, after, 7), undefined);
    assert.equal(aftermathIn(after, after, 7), undefined);
  });

  test("its final position stays on the board for a moment while the next match begins", () => {
    assert.deepEqual(tableShown(after, aftermath, 1_000), { sight: last, isLast: true });
    assert.deepEqual(tableShown(after, aftermath, 5_000), { sight, isLast: false });
  });

  test("but never during the viewer's own turn", () => {
    const mine = viewOf({ lastMatch: ended, lastSight: last, you: seated("X", ["a1"]) });
    assert.equal(isYourTurn(mine), true);
    assert.deepEqual(tableShown(mine, aftermath, 1_000), { sight, isLast: false });
  });

  test("it stays while there is no match", () => {
    const idle = viewOf({ match: null, lastSight: last });
    assert.deepEqual(tableShown(idle, undefined, 1_000), { sight: last, isLast: true });
    assert.deepEqual(tableShown(viewOf({ match: null }), undefined, 0), { sight: null, isLast: false });
  });

  test("its last round is shown until the new match has one, also to the player who has to move", () => {
    const view = { lastMatch: ended, lastSight: last, you: seated("X", ["rock"]) };
    assert.equal(wordsShown(viewOf(view), aftermath, 4_000).isLast, true);
    const match = { ...playing.match!, sight: { ...sight, notes: ["Round 1: …"] } };
    assert.equal(wordsShown(viewOf({ ...view, match }), aftermath, 4_000).isLast, false);
    assert.equal(wordsShown(viewOf(view), aftermath, 60_000).isLast, false);
  });

  test("the display changes twice by itself, and then no more", () => {
    const first = nextChangeAtMs(aftermath, 0)!;
    const second = nextChangeAtMs(aftermath, first)!;
    assert.ok(first > 0 && second > first);
    assert.equal(tableShown(after, aftermath, first).isLast, false);
    assert.equal(isResultShown(aftermath, first), true);
    assert.equal(isResultShown(aftermath, second), false);
    assert.equal(nextChangeAtMs(aftermath, second), undefined);
    assert.equal(nextChangeAtMs(undefined, 0), undefined);
  });
});

test("a second click on the cell that won is not the first move of the next match", () => {
  assert.equal(isSettled(1_000, 1_150), false);
  assert.equal(isSettled(1_000, 1_400), true);
});
