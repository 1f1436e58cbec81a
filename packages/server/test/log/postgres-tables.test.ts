import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { CountOrder, LadderRows, Millis, PlayerNumber } from "@openseat/kernel";
import type { StreamName } from "../../src/log/log.ts";
import { lockStatement } from "../../src/log/postgres/appending.ts";
import { Session } from "../../src/log/postgres/connection/session.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { appendAll } from "../support/append-all.ts";
import { testsNeeding } from "../support/needs.ts";
import { againIfLate } from "../support/patience.ts";
import { freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { appendTo, assertWhole, fill } from "./contract.ts";
import { countedMatch, playersCalled, Rungs } from "./ladder-contract.ts";

const { describe, test } = testsNeeding(missingPostgres);

const bounds = { connectMs: 10_000, answerMs: 20_000, statementMs: 0 } as const;

/** Two nodes on one database, and a plain connection to it. */
async function withNodes(
  work: (a: PostgresLog, b: PostgresLog, session: Session) => Promise<void>,
): Promise<void> {
  const { url, drop } = await freshDatabase();
  const a = await PostgresLog.open(url, { node: "a" });
  const b = await PostgresLog.open(url, { node: "b" });
  const session = await Session.connect({ url, ...bounds });
  try {
    await work(a, b, session);
  } finally {
    for (const each of [session, a, b]) await each.close();
    await drop();
  }
}

describe("appends of several nodes on PostgreSQL", () => {
  const both: [StreamName, StreamName] = ["game/x", "game/y"];

  test("[LG1] appends to the same streams in opposite orders do not deadlock, and each version is stored once", () =>
    withNodes(async (a, b) => {
      const made = both.map((stream) => appendTo(stream, 0));
      await appendAll(a, made);
      const hashes = made.map(({ hash }) => hash);
      for (let version = 1; version <= 60; version++) {
        const of = (text: string) =>
          both.map((stream, index) => appendTo(stream, version, hashes[index], { text }));
        const [mine, theirs] = [of("mine"), of("theirs")];
        const outcomes = await Promise.all([appendAll(a, mine), appendAll(b, theirs.toReversed())]);
        for (const [index, stream] of both.entries()) {
          const won = [outcomes[0][index], outcomes[1].toReversed()[index]];
          assert.deepEqual(won.toSorted(), ["appended", "conflict"], stream);
          hashes[index] = (won[0] === "appended" ? mine : theirs)[index].hash;
        }
      }
      for (const stream of both) assert.equal(await assertWhole(a, stream), 61);
    }));

  test("[LG1] concurrent appends that create the same streams in opposite orders create each once", () =>
    withNodes(async (a, b) => {
      for (let round = 0; round < 40; round++) {
        const names = both.map((stream): StreamName => `${stream}${round}`);
        const make = (text: string) => names.map((stream) => appendTo(stream, 0, undefined, { text }));
        const outcomes = await Promise.all([
          appendAll(a, make("mine")),
          appendAll(b, make("theirs").toReversed()),
        ]);
        for (const index of both.keys()) {
          const won = [outcomes[0][index], outcomes[1].toReversed()[index]];
          assert.deepEqual(won.toSorted(), ["appended", "conflict"]);
          assert.equal(await assertWhole(b, names[index]), 1);
        }
      }
    }));

  test("[LG4] streams created in one commit are listed in the given order", () =>
    withNodes(async (a) => {
      const given: StreamName[] = ["game/m", "game/z", "game/a", "game/Z", "game/ä"];
      await appendAll(
        a,
        given.map((stream) => appendTo(stream, 0)),
      );
      const listed = await a.list({ kind: "game", limit: 9 });
      assert.deepEqual(
        listed.map(({ stream, number }) => [number, stream]),
        given.map((stream, index) => [index + 1, stream]).reverse(),
      );
    }));

  test("[LG1] a conflicting append writes no rows or effects, even beside successful ones", () =>
    withNodes(async (a) => {
      const [late, good] = [new Rungs(a, "ladder/late"), new Rungs(a, "ladder/good")];
      const effects = [{ version: 2, to: "game/a", body: { type: "x" } }];
      for (const rungs of [late, good]) await rungs.write(playersCalled(["Ann", "Bob"]));
      const wrong = { ...late.next(countedMatch(1, [1, 2])), after: 7, effects };
      const right = { ...good.next(countedMatch(1, [1, 2])), effects };
      assert.deepEqual(await appendAll(a, [wrong, right]), ["conflict", "appended"]);
      assert.deepEqual([await late.numbers({}), await good.numbers({})], [[], [1]]);
      const sent = (await a.outbox(0, 9)).map(({ from }) => from);
      assert.deepEqual(sent, ["ladder/good"]);
    }));

  test("[LD2] if one append of several cannot be written, none is, neither rows nor entries", () =>
    withNodes(async (a) => {
      const rungs = new Rungs(a);
      await rungs.write({ ...playersCalled(["Ann", "Bob"]), ...countedMatch(1, [1, 2]) });
      const good = rungs.next(countedMatch(2, [1, 2]));
      const bad = new Rungs(a, "ladder/b").next({
        ratings: [[1, 1, 1, null, 2, null, 1010, null, null]] as never,
      });
      await assert.rejects(appendAll(a, [good, bad]), { name: "LogUnavailable" });
      assert.deepEqual(await rungs.numbers({}), [1]);
      assert.equal(await assertWhole(a, "ladder/a"), 1);
      assert.equal(await a.head("ladder/b"), undefined);
      await rungs.write(countedMatch(2, [1, 2]));
    }));
});

describe("concurrent nodes on PostgreSQL", () => {
  test("[CL5] a stream that a node is committing to is not listed as due", () =>
    withNodes(async (a, _, session) => {
      const due = { due: 5 as Millis };
      await appendAll(a, [appendTo("game/x", 0, undefined, due), appendTo("game/y", 0, undefined, due)]);
      const now = 9 as Millis;
      await session.transaction(async () => {
        await session.together([lockStatement(["game/x"])]);
        assert.deepEqual(await a.due(now, 9), ["game/y"]);
      });
      assert.deepEqual(await a.due(now, 9), ["game/x", "game/y"], "and again when it is over");
    }));

  test("[LG5] two nodes save snapshots of one stream at once, and the later version stays intact", () =>
    withNodes(async (a, b, session) => {
      const [first, second] = await fill(a, "game/a", [5, 5]);
      const parts = (count: number, filled: number) =>
        Array.from({ length: count }, () => new Uint8Array(9_000).fill(filled));
      const older = { version: 5, hash: first.hash, parts: parts(30, 1) };
      const newer = { version: 10, hash: second.hash, parts: parts(2, 2) };
      await Promise.all([a.saveSnapshot("game/a", older), b.saveSnapshot("game/a", newer)]);
      const loaded = await a.loadSnapshot("game/a");
      assert.deepEqual([loaded!.version, loaded!.hash], [10, second.hash]);
      assert.deepEqual(
        loaded!.parts.map((part) => [part.length, part[0]]),
        [
          [9_000, 2],
          [9_000, 2],
        ],
      );
      await b.saveSnapshot("game/a", older);
      assert.equal((await b.loadSnapshot("game/a"))!.version, 10, "a snapshot never goes back");
      const { rows } = await session.query("SELECT count(*) FROM snapshot_parts");
      assert.equal(rows[0].count, 2, "nothing else is left");
    }));

  test("[LG5] two nodes save the same version differently, and loading returns one of them unmixed", () =>
    withNodes(async (a, b) => {
      const [{ hash }] = await fill(a, "game/a", [5]);
      for (let round = 0; round < 10; round++) {
        const of = (filled: number, count: number) => ({
          ...{ version: 5, hash },
          parts: Array.from({ length: count }, () => new Uint8Array(2_000).fill(filled)),
        });
        const [mine, theirs] = [of(1, 7), of(2, 9)];
        await Promise.all([a.saveSnapshot("game/a", mine), b.saveSnapshot("game/a", theirs)]);
        const { parts } = (await a.loadSnapshot("game/a"))!;
        const saved = parts[0][0] === 1 ? mine : theirs;
        assert.deepEqual(
          parts.map((part) => [...part]),
          saved.parts.map((part) => [...part]),
        );
      }
    }));
});

const route = { from: "arena/a", to: "ladder/l" } as const;
const span = { after: 10, upTo: 99 } as const;
const ladder = { stream: "ladder/l", limit: 5 } as const;
const questions: Readonly<Record<string, (log: PostgresLog) => Promise<unknown>>> = {
  "what waits": (log) => log.outbox(10, 5),
  "what waits on one way": (log) => log.outboxOf(route, span, 5),
  "what waits for one place": (log) => log.outboxOf({ to: "ladder/l" }, span, 5),
  "what was set aside": (log) => log.deadLetters(10, 5),
  "what is due": (log) => log.due(9 as Millis, 5),
  "what is due next": (log) => log.nextDue(9 as Millis),
  entries: (log) => log.read("game/a", 5, 5),
  "one entry": (log) => log.line("game/a", 5),
  "streams of one kind": (log) => log.list({ kind: "game", limit: 5 }),
  "streams of one status": (log) => log.list({ kind: "game", status: "OPEN", before: 9, limit: 5 }),
  matches: (log) => log.ladders.matches({ ...ladder, order: "newest" }),
  "matches that wait": (log) => log.ladders.matches({ ...ladder, order: "oldest", status: "pending" }),
  names: (log) => log.ladders.playersNamed("ladder/l", "an", 5),
  "a history": (log) => log.ladders.played({ ...ladder, player: 1 as PlayerNumber, from: 9 as CountOrder }),
};

test("[CH7] [FD1] [LD11] [LG1] [RM7] every query uses an index in order, even with plans made on empty tables", (t) =>
  withNodes(async (log, _, session) => {
    for (const [what, ask] of Object.entries(questions)) {
      const plan = (await plansOf(t, session, () => ask(log))).join("\n");
      assert.match(plan, /Index (Only )?Scan/, what);
      assert.doesNotMatch(plan, /Seq Scan|Bitmap|(?<!Incremental )Sort {2}/, `${what}: ${plan}`);
    }
  }));

test("[LD11] writes find their rows by index, however long the ladder is", (t) =>
  withNodes(async (log, _, session) => {
    const changes = {
      statuses: [[1, "voided", 9_999]] as never,
      recounts: [[1, 1, 990, 1000, null, null]] as never,
    };
    const rows = { ...playersCalled(["Ann", "Bob"]), ...countedMatch(1, [1, 2]), ...changes };
    const plans = await plansOf(t, session, () => new Rungs(log).write(rows));
    const conditions = plans.filter((line) => /Index Cond: .*ladder/.test(line));
    assert.equal(conditions.length, 3, "standings, statuses, recounts");
    for (const condition of conditions) assert.match(condition, /ladder = .* AND .*(number|turn) = /);
    assert.doesNotMatch(plans.join("\n"), /Seq Scan|Bitmap/);
  }));

test("[LD11] the null character does no harm, and texts with it are found", () =>
  withNodes(async (log) => {
    const rungs = new Rungs(log);
    await rungs.write(playersCalled(["Ann\0a", "Anna"]));
    assert.deepEqual(await rungs.named("ann"), [2, 1]);
    assert.deepEqual(await rungs.named("ann\0"), [1]);
    assert.deepEqual(await rungs.named("\0"), []);
    assert.equal(await log.head("game/\0"), undefined);
  }));

/** PostgreSQL ends a transaction if this process is silent for 0.7 s, as on a busy machine; the write then conflicts. */
const writeMsMax = 500;

test("[LD8] a recount of more rows than fit in one statement is written completely", () =>
  againIfLate((inTime) =>
    withNodes(async (log) => {
      const rungs = new Rungs(log);
      const count = 6_000;
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      const played = numbers.map((number) => countedMatch(number, [1, 2]));
      const write = (rows: Partial<LadderRows>) => inTime(writeMsMax, () => rungs.write(rows));
      await write({
        ...playersCalled(["Ann", "Bob"]),
        matches: played.flatMap(({ matches }) => matches!),
        ratings: played.flatMap(({ ratings }) => ratings!),
      });
      await write({ recounts: numbers.map((turn) => [turn, 1, 1, turn, null, null]) as never });
      const matches = await log.ladders.matches({ stream: "ladder/a", order: "oldest", limit: count });
      assert.deepEqual(
        matches.map(({ changes }) => changes![0].after),
        numbers,
      );
      assert.ok(matches.every(({ changes }) => changes![0].firstChange === 10));
    }),
  ));

async function plansOf(t: TestContext, session: Session, ask: () => Promise<unknown>): Promise<string[]> {
  const asked = t.mock.method(Session.prototype, "query");
  await ask();
  const texts = asked.mock.calls.flatMap(({ arguments: [text, values] }) => (values ? [text] : []));
  asked.mock.restore();
  assert.ok(texts.length > 0);
  const plans: string[] = [];
  for (const text of texts) {
    const { rows } = await session.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
    plans.push(...rows.map((row) => row["QUERY PLAN"]));
  }
  return plans;
}
