import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Millis } from "@openseat/kernel";
import fc from "fast-check";
import { KeyMemory } from "../../src/host/stream/key-memory.ts";
import { answered, turns } from "../support/test-clock.ts";
import { codeOf, entriesOf, entryOf, type RoomOutcome, Stage } from "./stage.ts";

const hour = 60 * 60 * 1000;

function assertReplay(outcome: RoomOutcome, first: RoomOutcome): void {
  assert.deepEqual(entryOf(outcome), entryOf(first));
  assert.ok("replayed" in outcome && outcome.replayed, "not said to be a replay");
}

describe("keys", () => {
  test("[ID1] the same key with the same request gives the same entry again and writes nothing", async () => {
    const stage = new Stage();
    await stage.created("g", { seats: 2 });
    const first = await answered(stage.join("g", "ann", "k1"));
    assert.ok("replayed" in first && !first.replayed);
    assert.equal(entryOf(first).key, "k1");
    await answered(stage.leave("g", "ann"));
    const calls = stage.log.calls.length;
    for (let again = 0; again < 5; again++) assertReplay(await answered(stage.join("g", "ann", "k1")), first);
    assert.equal(stage.log.calls.length, calls);
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 3, seated: 0, ended: false } });
  });

  test("[ID1] a repeat that comes while the first is on its way to the disk waits for it", async () => {
    const stage = new Stage();
    await stage.created("g");
    stage.log.holding = true;
    const first = stage.join("g", "ann", "k1");
    await turns();
    let isAnswered = false;
    const again = stage.join("g", "ann", "k1").finally(() => {
      isAnswered = true;
    });
    await turns();
    assert.equal(isAnswered, false);
    stage.log.releaseAll();
    assertReplay(await answered(again), await answered(first));
  });

  test("[ID1] a key belongs to whoever used it: another person's equal key is another key", async () => {
    const stage = new Stage();
    await stage.created("g");
    const ann = await answered(stage.join("g", "ann", "k1"));
    const bob = await answered(stage.join("g", "bob", "k1"));
    assert.equal(entryOf(ann).version, 2);
    assert.equal(entryOf(bob).version, 3);
    assert.ok("replayed" in bob && !bob.replayed);
  });

  test("[ID1] a key is known after the room was loaded from the log", async () => {
    const stage = new Stage();
    await stage.created("g");
    const first = await answered(stage.join("g", "ann", "k1"));
    assertReplay(await answered(stage.another().join("g", "ann", "k1")), first);
  });

  test("[ID1] a key whose append succeeded while its answer was lost replays the entry", async () => {
    const stage = new Stage();
    await stage.created("g");
    stage.log.holding = true;
    const lost = stage.join("g", "ann", "k1");
    await turns();
    stage.log.holding = false;
    stage.log.held.splice(0)[0].fail(true);
    assert.equal(codeOf(await answered(lost)), "log.unavailable");
    const again = await answered(stage.join("g", "ann", "k1"));
    assert.equal(entryOf(again).version, 2);
    assert.ok("replayed" in again && again.replayed);
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 2, seated: 1, ended: false } });
  });

  test("[ID1] a key whose append failed takes effect when it is asked again", async () => {
    const stage = new Stage();
    await stage.created("g");
    stage.log.failing = true;
    assert.equal(codeOf(await answered(stage.join("g", "ann", "k1"))), "log.unavailable");
    stage.log.failing = false;
    const again = await answered(stage.join("g", "ann", "k1"));
    assert.ok("replayed" in again && !again.replayed);
  });

  test("[ID1] a replay that cannot read the log is refused as such, and works later", async () => {
    const stage = new Stage();
    await stage.created("g");
    const first = await answered(stage.join("g", "ann", "k1"));
    stage.log.down = true;
    assert.equal(codeOf(await answered(stage.join("g", "ann", "k1"))), "log.unavailable");
    stage.log.down = false;
    assertReplay(await answered(stage.join("g", "ann", "k1")), first);
  });

  test("[ID2] the same key with another request is refused, and nothing changes", async () => {
    const stage = new Stage();
    await stage.created("g");
    await answered(stage.join("g", "ann", "k1"));
    assert.equal(codeOf(await answered(stage.leave("g", "ann", "k1"))), "key.reused");
    assert.equal((await entriesOf(stage.log, "game/g")).length, 2);
    const [joined, reused] = await answered(
      Promise.all([stage.join("g", "bob", "k2"), stage.leave("g", "bob", "k2")]),
    );
    entryOf(joined);
    assert.equal(codeOf(reused), "key.reused", "also within one batch");
  });

  test("[ID3] a key is known for 24 hours, across restarts, and forgotten some time after 48", async () => {
    const stage = new Stage();
    await stage.created("g");
    const first = await answered(stage.join("g", "ann", "k1"));
    await stage.clock.advance(24 * hour);
    assertReplay(await answered(stage.join("g", "ann", "k1")), first);
    assertReplay(await answered(stage.another().join("g", "ann", "k1")), first);
    for (let day = 1; day <= 2; day++) {
      await stage.clock.advance(1);
      await answered(stage.join("g", `other-${day}`, "k"));
      await stage.clock.advance(24 * hour);
    }
    await answered(stage.join("g", "other-3", "k"));
    assert.equal(codeOf(await answered(stage.join("g", "ann", "k1"))), "place.exists");
    assert.equal(codeOf(await answered(stage.another().join("g", "ann", "k1"))), "place.exists");
  });

  test("[ID3] keys are known after a snapshot and a restart, the older ones too", async () => {
    const stage = new Stage({ snapshotTailMin: 4 });
    await stage.created("g");
    const old = await answered(stage.join("g", "ann", "k1"));
    await stage.clock.advance(24 * hour + 1);
    const young = await answered(stage.join("g", "bob", "k2"));
    await answered(stage.join("g", "cid", "k3"));
    await turns();
    assert.deepEqual(stage.log.snapshotsSaved, [4]);
    const tail = await answered(stage.join("g", "dan", "k4"));
    const other = stage.another();
    assertReplay(await answered(other.join("g", "ann", "k1")), old);
    assertReplay(await answered(other.join("g", "bob", "k2")), young);
    assertReplay(await answered(other.join("g", "dan", "k4")), tail);
    assert.equal(codeOf(await answered(other.leave("g", "ann", "k1"))), "key.reused");
  });

  test("[ID4] a refusal is not remembered: the same key asks anew", async () => {
    const stage = new Stage();
    await stage.created("g", { seats: 1 });
    await answered(stage.join("g", "ann"));
    assert.equal(codeOf(await answered(stage.join("g", "bob", "k1"))), "room.full");
    await answered(stage.leave("g", "ann"));
    const joined = await answered(stage.join("g", "bob", "k1"));
    assert.ok("replayed" in joined && !joined.replayed);
    assert.equal(codeOf(await answered(stage.leave("g", "cid", "k2"))), "place.missing");
    await answered(stage.leave("g", "bob"));
    entryOf(await answered(stage.join("g", "cid", "k2")));
  });

  test("[ID5] without a key, joining twice and leaving twice are refused and count once", async () => {
    const stage = new Stage();
    await stage.created("g");
    const joins = await answered(Promise.all([1, 2, 3].map(() => stage.join("g", "ann"))));
    assert.deepEqual(
      joins.map((outcome) => ("entry" in outcome ? "joined" : outcome.refusal.code)),
      ["joined", "place.exists", "place.exists"],
    );
    const leaves = await answered(Promise.all([1, 2, 3].map(() => stage.leave("g", "ann"))));
    assert.deepEqual(
      leaves.map((outcome) => ("entry" in outcome ? "left" : outcome.refusal.code)),
      ["left", "place.missing", "place.missing"],
    );
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 3, seated: 0, ended: false } });
  });
});

describe("the memory of keys", () => {
  test("[ID3] whatever is remembered, saved and restored when, no key younger than 24 hours is forgotten", () => {
    const steps = fc.array(
      fc.record({ passes: fc.integer({ min: 0, max: 30 * hour }), restart: fc.boolean() }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, fc.constantFrom(0, 1_700_000_000_000), (script, start) => {
        let now = start;
        let memory = new KeyMemory(0 as Millis);
        const known: { key: string; version: number; at: number }[] = [];
        for (const [index, { passes, restart }] of script.entries()) {
          now += passes;
          if (restart) {
            const { head, columns } = memory.save();
            memory = KeyMemory.restore(JSON.parse(JSON.stringify(head)), structuredClone(columns));
          }
          const key = `key-${index}`;
          memory.remember("ann", key, index + 1, now as Millis);
          known.push({ key, version: index + 1, at: now });
          for (const it of known) {
            const found = memory.find("ann", it.key);
            if (now - it.at <= 24 * hour) assert.equal(found, it.version);
            else assert.ok(found === undefined || found === it.version);
          }
          assert.equal(memory.find("bob", key), undefined);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("[ID3] what was saved stays as it is while keys go on coming", () => {
    const memory = new KeyMemory(0 as Millis);
    for (let number = 1; number <= 100; number++) memory.remember("ann", `k${number}`, number, 1 as Millis);
    const saved = memory.save();
    const copy = structuredClone(saved);
    for (let number = 101; number <= 5_000; number++) {
      memory.remember("ann", `k${number}`, number, (number * hour) as Millis);
      memory.find("bob", `k${number}`);
    }
    assert.deepEqual(saved, copy);
  });

  test("[ID3] a snapshot of another form, without the keys, is not believed: the log has them", () => {
    const { head, columns } = new KeyMemory(0 as Millis).save();
    assert.doesNotThrow(() => KeyMemory.restore(head, columns));
    assert.throws(() => KeyMemory.restore(head, {}), /without its keys/);
    assert.throws(() => KeyMemory.restore({ ...head, oldKeysStartedAt: 0 }, columns), /without its keys/);
  });
});
