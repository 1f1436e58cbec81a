import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertAllMet } from "../met.ts";
import { script } from "./script.ts";
import { met, playBoth } from "./side-by-side.ts";

/** Together they take about 23,000 steps. `DIRECTORY_RUNS` asks for others. */
const runs = Number(process.env.DIRECTORY_RUNS ?? 250);
const stepsMax = 200;

describe("the directory does what the plain model does, step by step", () => {
  let all = 0;
  const property = fc.property(script(stepsMax), fc.nat(2), (steps, kind) => {
    playBoth(steps, kind);
    all += steps.length;
  });

  test("[CH1][CH2][CH4][CH5][CH6][NM1][NM2][NM3][LG5][LM6] whatever people write, throw and are called", () => {
    fc.assert(property, { numRuns: runs });
  });

  test("in these runs everything happens that can happen", () => {
    assert.ok(all >= 15_000, `${all} steps`);
    const outcomes = [
      "a ladder is told: gone",
      "a ladder is told: named",
      "a ladder is told: players",
      "challenge: done",
      "challenge: duel.exists",
      "challenge: duel.self",
      "challenge: duel.thrown",
      "challenge: duel.too-many",
      "challenge: nickname.missing",
      "challenge: nickname.unknown",
      "drop: done",
      "drop: duel.not-found",
      "drop: duel.over",
      "event: answered",
      "event: asked",
      "event: conversation-forgotten",
      "event: duel-dropped crowded",
      "event: duel-dropped declined",
      "event: duel-dropped gone",
      "event: duel-dropped lapsed",
      "event: duel-dropped withdrawn",
      "event: duel-ended",
      "event: duel-opened",
      "event: forgotten",
      "event: homed",
      "event: kept",
      "event: linked",
      "event: met",
      "event: moved",
      "event: named",
      "event: passed",
      "event: registered",
      "event: thrown",
      "hear: asked confirm",
      "hear: asked decline",
      "hear: asked history",
      "hear: asked match",
      "hear: asked rating",
      "hear: asked register",
      "hear: asked top",
      "hear: asked undo",
      "hear: broken",
      "hear: directory.full",
      "hear: duel.self",
      "hear: duel.thrown",
      "hear: duel.too-many",
      "hear: forgotten",
      "hear: games",
      "hear: help",
      "hear: named",
      "hear: nickname.invalid",
      "hear: nickname.missing",
      "hear: nickname.same",
      "hear: nickname.taken",
      "hear: nickname.unknown",
      "hear: no-duel",
      "hear: no-ladder",
      "hear: no-rated-duels",
      "hear: nobody-to-forget",
      "hear: off",
      "hear: recased",
      "hear: result",
      "hear: score-too-high",
      "hear: secret-please",
      "hear: unclear",
      "hear: usage",
      "hear: waiting",
      "hear: whom",
      "link: conversation.not-found",
      "link: done",
      "move: conversation.not-found",
      "move: done",
      "pass: delivery.repeated",
      "pass: done",
      "quit: done",
      "quit: nickname.missing",
      "recall: delivery.not-found",
      "take-name: directory.full",
      "take-name: done",
      "take-name: nickname.invalid",
      "take-name: nickname.same",
      "take-name: nickname.taken",
      "throw: done",
      "throw: duel.not-found",
      "throw: duel.over",
      "throw: duel.thrown",
      "tick: done",
      "told: enough",
      "told: where others read along",
    ];
    assertAllMet(met, outcomes, property);
  });
});
