import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Millis } from "@openseat/kernel";
import fc from "fast-check";
import { KeyMemory } from "../../src/host/stream/keys/key-memory.ts";
import { answered, turns } from "../support/test-clock.ts";
import { codeOf, entryOf, type RoomOutcome, Stage } from "./stage.ts";

const hour = 60 * 60 * 1000;

function assertReplay(outcome: RoomOutcome, first: RoomOutcome): void {
  assert.deepEqual(entryOf(outcome), entryOf(first));
  assert.ok("replayed" in outcome && outcome.replayed, "not marked as a replay");
}

describe("keys", () => {
  test("[ID3] a key is kept for 24 hours across restarts, and dropped some time after 48", async () => {
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

  test("[ID3] keys of both generations survive a snapshot and a restart", async () => {
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
});

describe("the memory of keys", () => {
  test("[ID3] no key younger than 24 hours is dropped, in any order of adding, saving and restoring", () => {
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

  test("[ID3] a saved copy does not change while keys are added", () => {
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

  test("[ID3] a snapshot without the keys is ignored, because the log has them", () => {
    const { head, columns } = new KeyMemory(0 as Millis).save();
    assert.doesNotThrow(() => KeyMemory.restore(head, columns));
    assert.throws(() => KeyMemory.restore(head, {}), /without its keys/);
    assert.throws(() => KeyMemory.restore({ ...head, oldKeysStartedAt: 0 }, columns), /without its keys/);
  });
});
