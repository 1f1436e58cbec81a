import assert from "node:assert/strict";
import { type GameCommand, gameDecider, type Millis, type PersonId } from "@openseat/kernel";
import fc from "fast-check";
import { Host } from "../../src/host/host.ts";
import type { Log } from "../../src/log/log.ts";
import { MemoryCluster, openNetwork } from "../../src/log/memory/memory-cluster.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { tempFolder } from "../support/folder.ts";
import { testsNeeding } from "../support/needs.ts";
import { freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { TestClock } from "../support/test-clock.ts";
import { testCommitContract } from "./commit-contract.ts";
import { type LogFactory, linesOf, testLogContract } from "./contract.ts";
import { testLadderContract } from "./ladder-contract.ts";
import { testOutboxContract } from "./outbox-contract.ts";

const { describe, test } = testsNeeding(missingPostgres);

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
const onPostgres: LogFactory = async () => {
  const database = await freshDatabase();
  const log = await PostgresLog.open(database.url, { node: "a" });
  const dispose = async () => {
    await log.close();
    await database.drop();
  };
  return { log, dispose };
};

const stores = { memory: inMemory, SQLite: onSqlite, PostgreSQL: onPostgres };

for (const [name, open] of Object.entries(stores)) {
  const missing = name === "PostgreSQL" ? missingPostgres : undefined;
  testLogContract(name, open, missing);
  testCommitContract(name, open, missing);
  testLadderContract(name, open, missing);
  testOutboxContract(name, open, missing);
}

// Its other methods are those of the in-memory store.
const aNodeInMemory: LogFactory = async () => {
  const cluster = new MemoryCluster(new MemoryLog(), openNetwork(new TestClock()));
  return { log: cluster.node("ann"), dispose: async () => {} };
};
testCommitContract("one node of several in memory", aNodeInMemory);

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
        const [first, ...others] = await Promise.all(Object.values(stores).map((open) => open()));
        try {
          const answers = await play(first.log, script, waitlist);
          const contents = await contentsOf(first.log);
          for (const { log } of others) {
            assert.deepEqual(await play(log, script, waitlist), answers);
            assert.deepEqual(await contentsOf(log), contents);
          }
        } finally {
          for (const { dispose } of [first, ...others]) await dispose();
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
