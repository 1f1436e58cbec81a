import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  ladderDecider,
  type PersonId,
} from "@openseat/kernel";
import { Host, SqliteLog, systemClock } from "@openseat/server";
import { ladderVerdicts, readLadder } from "../src/ladders/ladder-checks.ts";
import { fillLadder, ratingOf } from "../src/ladders/ladder-filling.ts";
import { personName } from "../src/persons.ts";

test("what the database says of a ladder is what was played there, and nowhere else", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "openseat-ladder-checks-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = await SqliteLog.open(folder);
  const host = new Host({ log, clock: systemClock, deciders: { ladder: ladderDecider } });
  const ladders = host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
  for (const ladder of ["one", "other"]) await fillLadder(ladders, { ladder, players: 2 }, () => {});
  const play = (ladder: string, key: string) =>
    ladders.ask(ladder, {
      command: {
        type: "report",
        result: { players: [personName(1) as PersonId, personName(2) as PersonId], scores: [2, 1] },
        asker: { by: personName(1), role: "person" },
      },
      by: personName(1),
      key,
    });
  await play("one", "a");
  await play("one", "b");
  await play("other", "a");
  await host.stop();

  const { matches, history, ratingSum } = readLadder(folder, "one");
  assert.deepEqual({ matches, history }, { matches: 2, history: 4 });
  assert.ok(Math.abs(ratingSum - ratingOf(1) - ratingOf(2)) < 1e-9);
});

test("a match too few, a match twice and a rating from nowhere are found", () => {
  const expected = { acknowledged: 10, counting: 9, ratingSum: 5_000 };
  const metBy = (matches: number, history: number, ratingSum: number) =>
    ladderVerdicts("ladder", { matches, history, ratingSum }, expected).map(({ met }) => met);
  assert.deepEqual(metBy(9, 20, 5_000 + 1e-9), [true, true]);
  assert.deepEqual(metBy(8, 20, 5_000), [false, true]);
  assert.deepEqual(metBy(9, 22, 5_000), [false, true]);
  assert.deepEqual(metBy(9, 20, 4_999.9), [true, false]);
  assert.deepEqual(metBy(9, 20, Number.NaN), [true, false]);
});
