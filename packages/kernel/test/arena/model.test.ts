import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertAllMet } from "../met.ts";
import { kinds, script } from "./script.ts";
import { met, playBoth } from "./side-by-side.ts";

/** Together they take 100,000 steps and more. */
const runs = 150;
const stepsMax = 400;

describe("an arena does what the plain model does, step by step", () => {
  let all = 0;
  for (const [name, kind] of Object.entries(kinds)) {
    test(`[AR1][AR2][AR3][AR4][AR5][AR6][AR7][AR8][AR9][AR10][LN2][LN4][MT2][MT5][RM1][RM3] ${name}`, () => {
      const property = fc.property(fc.nat(), script(stepsMax), (seed, steps) => {
        playBoth(kind, seed, steps);
        all += steps.length;
      });
      fc.assert(property, { numRuns: runs });
    });
  }

  test("in these runs everything happens that can happen", () => {
    assert.ok(all >= 100_000, `${all} steps`);
    const outcomes = [
      "auth.forbidden",
      "clock restarted",
      "ended disconnected",
      "ended left",
      "ended move-timeout",
      "ended null disconnected",
      "ended null left",
      "ended null move-timeout",
      "ended null played",
      "ended null reported",
      "ended null resigned",
      "ended null unreported",
      "ended played",
      "ended reported",
      "ended resigned",
      "lane.unknown",
      "left cancelled",
      "left completed",
      "left forfeited",
      "left heartbeat_timeout",
      "left left",
      "left lost",
      "line.full",
      "match.none",
      "match.over",
      "match.stale",
      "move.elsewhere",
      "move.impossible",
      "move.out-of-turn",
      "move.unknown",
      "place.exists",
      "place.missing",
      "result.decided-here",
      "result.exists",
      "room.exists",
      "seat.missing",
      "seat.unknown",
      "seats.unfit",
      "started",
      "turn.missing",
      "turn.stale",
    ];
    const anyKind = fc.constantFrom(...Object.values(kinds));
    const property = fc.property(anyKind, fc.nat(), script(stepsMax), (...run) => void playBoth(...run));
    assertAllMet(met, outcomes, property);
  });
});
