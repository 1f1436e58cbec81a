import assert from "node:assert/strict";
import {
  type Asker,
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  ladderDecider,
  type MatchNumber,
  type Millis,
  type PersonId,
} from "@openseat/kernel";
import fc from "fast-check";
import { newLadderCommand } from "../../src/app/ladders/ladders.ts";
import { Host } from "../../src/host/host.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { tempFolder } from "../support/folder.ts";
import { testsNeeding } from "../support/needs.ts";
import { freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { TestClock, turns } from "../support/test-clock.ts";
import { type LadderLog, linesOf } from "./contract.ts";
import { recordsOf } from "./ladder-contract.ts";

const { test } = testsNeeding(missingPostgres);

const people = 5;
const operator: Asker = { by: "@operator", role: "operator" };
const person = fc.nat(people - 1).map((number) => `p${number}` as PersonId);
const match = fc.integer({ min: 1, max: 12 }).map((number) => number as MatchNumber);
const scores = fc.tuple(fc.nat(2), fc.nat(2));

const command: fc.Arbitrary<LadderCommand> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(person, person, scores, fc.boolean())
      .map(([first, second, points, isTheirOwn]): LadderCommand => {
        const asker = isTheirOwn ? ({ by: first, role: "person" } as const) : operator;
        return { type: "report", result: { players: [first, second], scores: points }, asker };
      }),
  },
  fc.tuple(match, person).map(([number, by]) => ({ type: "confirm", match: number, by }) as const),
  fc.tuple(match, person).map(([number, by]) => ({ type: "decline", match: number, by }) as const),
  match.map((number) => ({ type: "void", match: number, asker: operator }) as const),
  person.map((who) => ({ type: "leave", person: who, asker: operator }) as const),
  person.map((who) => enrolled(who)),
);

function enrolled(who: PersonId): LadderCommand {
  return { type: "enrol", person: who, name: `P ${who}`, rating: undefined, asker: operator };
}

/** Runs the commands on a ladder of this store, and returns everything that can be queried afterwards. */
async function played(log: LadderLog, rounds: readonly LadderCommand[][], system: "elo" | "glicko2") {
  const clock = new TestClock();
  const host = new Host({ log, clock, deciders: { ladder: ladderDecider } });
  const ladders = host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
  const ask = (each: LadderCommand) => ladders.ask("l", { command: each, by: "@operator" });
  const given = { title: "L", system, confirm: true, confirmWindowSeconds: 60 };
  const begin: LadderCommand[] = [newLadderCommand(given, "carol")];
  for (let number = 0; number < people; number++) begin.push(enrolled(`p${number}` as PersonId));
  for (const each of begin) await ask(each);
  for (const commands of rounds) {
    clock.jump(20_000);
    await Promise.all(commands.map(ask));
  }
  await turns();
  return { lines: await linesOf(log, "ladder/l"), ...(await recordsOf(log, "ladder/l", people)) };
}

/** One empty log of each kind, removed after the test. */
async function onEveryStore(
  work: (logs: readonly [memory: LadderLog, ...others: LadderLog[]]) => Promise<void>,
): Promise<void> {
  const folder = tempFolder();
  const database = await freshDatabase();
  const others = [await SqliteLog.open(folder.path), await PostgresLog.open(database.url, { node: "a" })];
  try {
    await work([new MemoryLog(), ...others]);
  } finally {
    for (const log of others) await log.close();
    await database.drop();
    folder.remove();
  }
}

test("[LD2] [LG4] after any events on a ladder, all stores have the same entries and records", async () => {
  const script = fc.array(fc.array(command, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(script, fc.constantFrom("elo", "glicko2"), (rounds, system) =>
      onEveryStore(async ([memory, ...others]) => {
        const expected = await played(memory, rounds, system);
        for (const log of others) assert.deepEqual(await played(log, rounds, system), expected);
      }),
    ),
    { numRuns: 8 },
  );
});

test("[LD11] queries for an unknown ladder return nothing on every store", () =>
  onEveryStore(async ([memory, ...others]) => {
    const nothing = await recordsOf(memory, "ladder/none", 2);
    assert.deepEqual([nothing.all, nothing.names, nothing.outbox], [[], [], []]);
    for (const log of others) {
      assert.deepEqual(await recordsOf(log, "ladder/none", 2), nothing);
      assert.equal(await log.nextDue(0 as Millis), undefined);
    }
  }));
