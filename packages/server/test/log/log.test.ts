import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type GameCommand, gameDecider, type Millis, type PersonId } from "@openseat/kernel";
import fc from "fast-check";
import { Host } from "../../src/host/host.ts";
import type { Log } from "../../src/log/log.ts";
import { MemoryLog } from "../../src/log/memory-log.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { tempFolder } from "../support/folder.ts";
import { TestClock } from "../support/test-clock.ts";
import { type LogFactory, linesOf, testLogContract } from "./contract.ts";
import { testLadderContract } from "./ladder-contract.ts";
import { testOutboxContract } from "./outbox-contract.ts";

const inMemory: LogFactory = async () => ({ log: new MemoryLog(), dispose: async () => {} });
const onSqlite: LogFactory = async () => {
  const folder = tempFolder();
  const log = await SqliteLog.open(folder.path);
  const dispose = async () => {
    await log.close();
    folder.remove();
  };
  return { log, dispose };
};

testLogContract("memory", inMemory);
testLogContract("SQLite", onSqlite);
testLadderContract("memory", inMemory);
testLadderContract("SQLite", onSqlite);
testOutboxContract("memory", inMemory);
testOutboxContract("SQLite", onSqlite);

describe("every log alike", () => {
  test("[LG4] the same commands give the same entries on every store, byte for byte", async () => {
    const name = fc.nat(8).map((number) => `p${number}` as PersonId);
    const command: fc.Arbitrary<GameCommand> = fc.oneof(
      name.map((person) => ({ type: "join", person }) as const),
      name.map((person) => ({ type: "leave", person }) as const),
    );
    const rounds = fc.array(fc.array(command, { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(rounds, fc.boolean(), async (script, waitlist) => {
        const [memory, sqlite] = [await inMemory(), await onSqlite()];
        try {
          const a = await play(memory.log, script, waitlist);
          const b = await play(sqlite.log, script, waitlist);
          assert.deepEqual(a, b);
          assert.deepEqual(await contentsOf(memory.log), await contentsOf(sqlite.log));
        } finally {
          await memory.dispose();
          await sqlite.dispose();
        }
      }),
      { numRuns: 4 },
    );
  });
});

async function play(log: Log, script: GameCommand[][], waitlist: boolean): Promise<unknown[]> {
  const clock = new TestClock();
  const host = new Host({ log, clock, deciders: { game: gameDecider } });
  const games = host.streams<unknown, GameCommand, unknown>("game");
  const create = { type: "create", title: "Tic “tac” 🎲", seats: 3, waitlist, creator: "carol" } as const;
  const endsAt = (clock.now() + 60_000) as Millis;
  await games.ask("g", { command: { ...create, endsAt }, by: "carol", key: "k0" });
  const answers: unknown[] = [];
  for (const [round, commands] of script.entries()) {
    clock.jump(round);
    const outcomes = await Promise.all(
      commands.map((command) => {
        const by = "person" in command ? command.person : "nobody";
        return games.ask("g", { command, by, key: `k${round}` });
      }),
    );
    answers.push(...outcomes.map((outcome) => ("entry" in outcome ? outcome.entry : outcome.refusal.code)));
  }
  return answers;
}

async function contentsOf(log: Log) {
  return {
    head: await log.head("game/g"),
    lines: await linesOf(log, "game/g"),
    list: (await log.list({ kind: "game", limit: 10 })).map((listed) => ({ ...listed })),
    nextDue: await log.nextDue(0 as Millis),
  };
}
