import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gameDecider } from "@openseat/kernel";
import { type Append, type AppendOutcome, LogUnavailable, type StoredBatch } from "../../src/log/log.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { HeldLog } from "../support/held-log.ts";
import { answered, turns, watched } from "../support/test-clock.ts";
import { codeOf, entryOf, Stage } from "./stage.ts";

describe("a log that fails", () => {
  test("[LG2] a room past its end can be read while the log is read-only", async () => {
    const stage = new Stage();
    await stage.created("g", { endsIn: 1_000 });
    stage.clock.jump(1_000);
    stage.log.failing = true;
    try {
      assert.equal(codeOf(await answered(stage.read("g"), "an answer to the read")), "log.unavailable");
      const calls = stage.log.calls.length;
      await turns(50);
      assert.ok(stage.log.calls.length <= calls + 1, "the log is retried without a pause");
    } finally {
      stage.log.failing = false;
    }
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 2, seated: 0, ended: true } });
  });

  test("[LG10] while the log is known to be unavailable, nothing is decided, and rooms in memory stay readable", async () => {
    const stage = new Stage();
    await stage.created("g");
    const calls = stage.log.calls.length;
    stage.log.failure = new LogUnavailable("The disk hangs.");
    stage.log.down = true;
    const refused = await answered(stage.join("g", "ann"));
    assert.equal(codeOf(refused), "log.unavailable");
    assert.ok("refusal" in refused && refused.refusal.retryable);
    assert.equal(stage.log.calls.length, calls);
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 1, seated: 0, ended: false } });
    stage.log.failure = undefined;
    stage.log.beforeRead = () => assert.fail("the room was read again");
    stage.log.down = false;
    assert.equal(entryOf(await answered(stage.join("g", "ann"))).version, 2);
    assert.deepEqual(stage.errors, []);
  });

  test("[LG3] a bug in the rules refuses the command, writes nothing, and the room stays usable", async () => {
    const faulty = {
      ...gameDecider,
      decide: (...args: Parameters<typeof gameDecider.decide>) => {
        const [, command] = args;
        if (command.type === "join" && command.person === "mallory") throw new Error("an impossible person");
        return gameDecider.decide(...args);
      },
    };
    const stage = new Stage({ deciders: { game: faulty } });
    await stage.created("g");
    const outcomes = await answered(Promise.all([stage.join("g", "ann"), stage.join("g", "mallory")]));
    assert.deepEqual(outcomes.map(codeOf), ["server.fault", "server.fault"]);
    assert.match(String(stage.errors[0]), /an impossible person/);
    assert.equal(entryOf(await answered(stage.join("g", "bob"))).version, 2);
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 2, seated: 1, ended: false } });
  });
});

/** A log on which another node always appends first. */
class ContestedLog extends MemoryLog {
  conflicts = 0;
  seen = 0;

  override async append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    if (this.seen++ < this.conflicts) return appends.map(() => "conflict");
    return super.append(appends);
  }
}

describe("two hosts on one log", () => {
  test("[GM2] a conflict is resolved by deciding again; after five attempts the command is refused with room.conflict", async () => {
    const inner = new ContestedLog();
    const stage = new Stage({ log: new HeldLog(inner) });
    await stage.created("g");
    inner.seen = 0;
    inner.conflicts = 4;
    assert.equal(entryOf(await answered(stage.join("g", "ann"))).version, 2);
    inner.seen = 0;
    inner.conflicts = 5;
    const outcome = await answered(stage.join("g", "bob"));
    assert.equal(codeOf(outcome), "room.conflict");
    assert.ok("refusal" in outcome && outcome.refusal.retryable === true);
    assert.equal(inner.seen, 5);
    entryOf(await answered(stage.join("g", "bob")));
  });

  test("[GM2] a room in conflict delays no other room, and its readers see only durable entries", async () => {
    const inner = new ContestedLog();
    const contested = inner.append.bind(inner);
    inner.append = async (appends) => {
      const outcomes: AppendOutcome[] = [];
      for (const append of appends) {
        if (append.stream === "game/bad" && append.after > 0) outcomes.push("conflict");
        else outcomes.push(...(await contested([append])));
      }
      return outcomes;
    };
    const stage = new Stage({ log: new HeldLog(inner) });
    await stage.created("bad");
    await stage.created("good");
    const [bad, good] = [watched(stage.join("bad", "ann")), stage.join("good", "ann")];
    entryOf(await answered(good));
    assert.deepEqual(await answered(stage.read("bad")), { value: { version: 1, seated: 0, ended: false } });
    assert.equal(codeOf(await answered(bad.promise)), "room.conflict");
  });
});

describe("a damaged store", () => {
  const damages: Record<string, (batches: StoredBatch[]) => StoredBatch[]> = {
    "a name in a line": (batches) => withLine(batches, 1, (line) => line.replace("bob", "bot")),
    "a count in a line": (batches) =>
      withLine(batches, 1, (line) => line.replace('"seated":2', '"seated":3')),
    "a line that is no JSON": (batches) => withLine(batches, 1, (line) => line.slice(0, -1)),
    "a line of a format to come": (batches) =>
      withLine(batches, 1, (line) => line.replace('"format":1', '"format":2')),
    "two lines in one another's place": (batches) =>
      batches.map((batch) =>
        batch.lines.length === 2 ? { ...batch, lines: batch.lines.toReversed() } : batch,
      ),
    "a hash": (batches) => batches.map((batch) => ({ ...batch, hash: batch.hash.replace(/./g, "0") })),
    "a batch missing at the start": (batches) => batches.filter(({ first }) => first !== 1),
    "a batch missing in the middle": (batches) => batches.filter(({ first }) => first !== 2),
    "a batch missing at the end": (batches) => batches.filter(({ first }) => first !== 4),
  };

  for (const [what, tamper] of Object.entries(damages)) {
    test(`[LG5] ${what}: the room says log.damaged and serves nothing`, async () => {
      const stage = new Stage();
      await stage.created("g");
      await stage.created("whole");
      await answered(Promise.all([stage.join("g", "ann"), stage.join("g", "bob")]));
      await answered(stage.join("g", "cid"));
      const other = stage.another();
      stage.log.tamper = (batches) => {
        const isOurs = batches.some(({ lines }) => lines.some((line) => /ann|bob|cid/.test(line)));
        return isOurs || batches.some(({ first }) => first > 1) ? tamper(batches) : batches;
      };
      assert.equal(codeOf(await answered(other.read("g"))), "log.damaged");
      assert.equal(codeOf(await answered(other.join("g", "dan"))), "log.damaged");
      assert.equal(codeOf(await answered(other.join("g", "dan"))), "log.damaged", "and reports it again");
      assert.ok(other.errors.length > 0);
      entryOf(await answered(other.join("whole", "dan")));
      stage.log.tamper = (batches) => batches;
      entryOf(await answered(other.join("g", "dan")));
    });
  }

  test("[LG5] entries cannot be moved from one room to another", async () => {
    const stage = new Stage();
    await stage.created("a");
    await answered(stage.join("a", "ann"));
    const inner = stage.log.inner as MemoryLog;
    const [first] = stage.log.calls;
    await inner.append(first.map((append) => ({ ...append, stream: "game/b" as const })));
    assert.equal(codeOf(await answered(stage.read("b"))), "log.damaged");
  });
});

function withLine(batches: StoredBatch[], index: number, change: (line: string) => string): StoredBatch[] {
  return batches.map((batch) =>
    batch.lines.length > index
      ? { ...batch, lines: batch.lines.map((line, at) => (at === index ? change(line) : line)) }
      : batch,
  );
}
