import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertAllMet } from "../met.ts";
import { kinds, script } from "./script.ts";
import { met, playBoth } from "./side-by-side.ts";

/** Scripts for each way of rating: together they take 100,000 steps and more. `LADDER_RUNS` asks for others. */
const runs = Number(process.env.LADDER_RUNS ?? 250);
const stepsMax = 400;

describe("a ladder does what the plain model does, step by step", () => {
  let all = 0;
  for (const [name, kind] of Object.entries(kinds)) {
    test(`[LD2][LD3][LD4][LD5][LD6][LD7][LD8][LD9][LD10][LD11][LD12][LD13][LD14][LM6] ${name}`, () => {
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
      "ban: a report lapses",
      "ban: auth.forbidden",
      "ban: done",
      "ban: player.banned",
      "ban: player.not-found",
      "configure: auth.forbidden",
      "configure: done",
      "confirm: auth.forbidden",
      "confirm: done",
      "confirm: match.counted",
      "confirm: match.declined",
      "confirm: match.lapsed",
      "confirm: match.not-found",
      "confirm: match.voided",
      "create: ladder.exists",
      "decline: auth.forbidden",
      "decline: done",
      "decline: match.counted",
      "decline: match.declined",
      "decline: match.lapsed",
      "decline: match.not-found",
      "decline: match.voided",
      "deliver: delivery.repeated",
      "deliver: done",
      "enrol: auth.forbidden",
      "enrol: done",
      "enrol: input.invalid",
      "enrol: ladder.closed",
      "enrol: player.banned",
      "enrol: player.exists",
      "import: auth.forbidden",
      "import: done",
      "import: import.exists",
      "import: import.running",
      "leave: auth.forbidden",
      "leave: done",
      "leave: player.missing",
      "leave: player.not-found",
      "report: another gives way",
      "report: auth.forbidden",
      "report: disputes another",
      "report: done",
      "report: limit.pending",
      "report: player.banned",
      "report: player.not-found",
      "report: player.self",
      "report: settles a dispute",
      "someone stands at the floor",
      "tick: done",
      "unban: auth.forbidden",
      "unban: done",
      "unban: player.not-banned",
      "unban: player.not-found",
      "void: auth.forbidden",
      "void: done",
      "void: match.declined",
      "void: match.lapsed",
      "void: match.not-found",
      "void: match.voided",
      "void: undo.over",
    ];
    const anyKind = fc.constantFrom(...Object.values(kinds));
    const property = fc.property(anyKind, fc.nat(), script(stepsMax), (...run) => void playBoth(...run));
    assertAllMet(met, outcomes, property);
  });
});
