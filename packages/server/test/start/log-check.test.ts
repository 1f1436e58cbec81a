import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { encodeSnapshot } from "../../src/host/stream/snapshot-format.ts";
import { DamagedRooms } from "../../src/integrity/damaged-rooms.ts";
import { LogCheck } from "../../src/integrity/log-check.ts";
import type { Damage } from "../../src/integrity/stream-check.ts";
import type { StreamName } from "../../src/log/log.ts";
import { LogUnavailable } from "../../src/log/log.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { appendTo, fill } from "../log/contract.ts";
import { HeldLog } from "../support/held-log.ts";
import { TestClock, turns, until } from "../support/test-clock.ts";

/** A log and the findings of a check. */
function stage() {
  const log = new HeldLog(new MemoryLog());
  const clock = new TestClock();
  const found: [StreamName, Damage][] = [];
  const errors: unknown[] = [];
  let streams: number | undefined;
  const check = new LogCheck({
    log,
    clock,
    kinds: ["game", "queue"],
    onDamage: (stream, damage) => found.push([stream, damage]),
    onEnd: (count) => {
      streams = count;
    },
    onError: (error) => errors.push(error),
  });
  return {
    ...{ log, clock, found, errors, check },
    get streams() {
      return streams;
    },
    async run() {
      check.start();
      for (let round = 0; streams === undefined && errors.length === 0; round++) {
        assert.ok(round < 10_000, "it ends");
        await clock.advance(1_000);
      }
      assert.deepEqual(errors, []);
      return found;
    },
  };
}

const saved = { head: { at: 1 }, columns: { column: new Uint8Array(3_000_000).fill(7) } };

suite("[LG9] the check of the log", () => {
  test("[LG9] every stream of every kind is checked, and an intact log has no damage", async () => {
    const on = stage();
    for (let index = 0; index < 250; index++) await fill(on.log, `game/${index}`, [1, 2]);
    const [, { hash }] = await fill(on.log, "queue/q", [600, 700]);
    await on.log.saveSnapshot("queue/q", { version: 1_300, hash, parts: encodeSnapshot(saved) });
    assert.deepEqual(await on.run(), []);
    assert.equal(on.streams, 251);
  });

  for (const [what, reason, change] of [
    [
      "a changed entry",
      "versions 3 to 5 do not match their hash",
      (line: string) => line.replace("x 4", "x 5"),
    ],
    ["an entry that is not valid JSON", "versions 3 to 5 do not match their hash", () => "{"],
  ] as const)
    test(`[LG9] ${what} is found, and other streams are not reported`, async () => {
      const on = stage();
      for (const id of ["a", "b", "c"]) await fill(on.log, `game/${id}`, [2, 3, 2]);
      on.log.tamper = (batches) =>
        batches.map((batch) =>
          batch.first === 3
            ? { ...batch, lines: batch.lines.map((line, at) => (at === 1 ? change(line) : line)) }
            : batch,
        );
      assert.deepEqual(
        await on.run(),
        ["c", "b", "a"].map((id) => [`game/${id}`, { part: "log", reason }]),
      );
    });

  test("[LG9] a batch that is missing in the middle or at the end is found", async () => {
    const on = stage();
    await fill(on.log, "game/a", [2, 3, 2]);
    on.log.tamper = (batches) => batches.filter(({ first }) => first !== 3);
    assert.deepEqual(await on.run(), [["game/a", { part: "log", reason: "version 3 is missing" }]]);
    const other = stage();
    await fill(other.log, "game/a", [2, 3, 2]);
    other.log.tamper = (batches) => batches.filter(({ first }) => first !== 6);
    assert.deepEqual(await other.run(), [
      ["game/a", { part: "log", reason: "it ends at version 5 instead of 7" }],
    ]);
  });

  test("[LG9] a changed snapshot is found", async () => {
    const on = stage();
    const [{ hash }] = await fill(on.log, "game/a", [5]);
    const parts = [...encodeSnapshot(saved)];
    parts[1][1_000] ^= 1;
    await on.log.saveSnapshot("game/a", { version: 5, hash, parts });
    assert.deepEqual(await on.run(), [
      ["game/a", { part: "snapshot", reason: "the snapshot at version 5 does not match its digest" }],
    ]);
  });

  test("[LG9] damage that is seen only once, as during a rollback of the database, is not reported", async () => {
    const on = stage();
    await fill(on.log, "game/a", [2, 3]);
    let reads = 0;
    on.log.tamper = (batches) => (++reads === 1 ? [] : batches);
    assert.deepEqual(await on.run(), []);
    assert.equal(reads, 2);
  });

  test("[LG9] it waits while the log is unavailable, and then continues", async () => {
    const on = stage();
    await fill(on.log, "game/a", [2]);
    on.log.down = true;
    on.check.start();
    await on.clock.advance(60_000);
    assert.equal(on.streams, undefined);
    on.log.down = false;
    await on.clock.advance(1_000);
    await until(() => on.streams === 1, "it has ended");
    assert.deepEqual([on.found, on.errors], [[], []]);
  });

  test("[LG9] a stream that cannot be read while the log answers is damaged, and the rest is checked", async () => {
    const on = stage();
    for (const id of ["a", "b", "c"]) await fill(on.log, `game/${id}`, [2]);
    on.log.beforeRead = (stream) => {
      if (stream === "game/b") throw new LogUnavailable("The log cannot be used: it is malformed.");
    };
    const [[stream, { part, reason }], ...more] = await on.run();
    assert.deepEqual([stream, part, more, on.streams], ["game/b", "log", [], 3]);
    assert.match(reason, /^it cannot be read \(.* malformed\.\)$/);
  });

  test("[LG9] a stream that advances meanwhile is intact", async () => {
    const on = stage();
    const [first] = await fill(on.log, "game/a", [600]);
    let last = first;
    on.log.beforeRead = async () => {
      last = appendTo("game/a", last.after + last.lines.length, last.hash);
      await on.log.append([last]);
    };
    assert.deepEqual(await on.run(), []);
    assert.equal(on.streams, 1);
  });

  test("[LG9] [LM10] it pauses nine times as long as it works, and stops at once", async () => {
    const on = stage();
    for (let index = 0; index < 20; index++) await fill(on.log, `game/${index}`, [1]);
    let reads = 0;
    const { elapsed } = on.clock;
    let worked = 0;
    on.clock.elapsed = () => elapsed.call(on.clock) + worked;
    on.log.beforeRead = () => {
      reads++;
      worked += 10;
    };
    on.check.start();
    await turns(50);
    for (let count = 1; count <= 10; count++) {
      assert.equal(reads, count);
      await on.clock.advance(89);
      assert.equal(reads, count);
      await on.clock.advance(1);
      await turns(20);
    }
    await on.check.stop();
    assert.deepEqual([reads, on.streams, on.clock.timers], [11, undefined, 0]);
  });
});

suite("[LG9] the damaged rooms", () => {
  const log = (reason = "it does not match") => ({ part: "log", reason }) as const;

  test("[LG9] each is recorded once, and a damaged log takes precedence over a damaged snapshot", () => {
    const lines: unknown[] = [];
    const say = (about: unknown) => void lines.push(about);
    const damaged = new DamagedRooms({ error: say, warn: say });
    const isClean = damaged.report === undefined;
    assert.ok(isClean);
    damaged.note("game/a", { part: "snapshot", reason: "it does not match" });
    assert.deepEqual([damaged.rooms, damaged.snapshots, damaged.report!.names], [0, 1, []]);
    for (const _ of Array(3)) damaged.note("game/a", log());
    damaged.note("game/a", { part: "snapshot", reason: "it does not match" });
    assert.deepEqual([damaged.rooms, damaged.snapshots, lines.length], [1, 0, 2]);
    damaged.note("conversation/7", log());
    const { rooms, names } = damaged.report!;
    assert.deepEqual([rooms, names], [2, ["game/a"]], "conversations are not named publicly");
  });

  test("[LG9] [LM2] lines and names are bounded for any number of rooms", () => {
    let lines = 0;
    const damaged = new DamagedRooms({ error: () => lines++, warn: () => lines++ });
    for (let index = 0; index < 20_000; index++) damaged.note(`game/${index}`, log());
    assert.deepEqual([damaged.rooms, damaged.report!.names.length, lines], [10_000, 20, 100]);
  });
});
