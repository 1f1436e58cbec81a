import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WriteBatcher } from "../../src/host/outbox/write-batcher.ts";
import { TestClock, turns } from "../support/test-clock.ts";

/** Writes that wait until the test completes them. */
function onHold() {
  const writes: { readonly items: readonly string[]; end(error?: Error): void }[] = [];
  const write = (items: readonly string[]) =>
    new Promise<void>((resolve, reject) => {
      writes.push({ items, end: (error) => (error ? reject(error) : resolve()) });
    });
  return { writes, batcher: new WriteBatcher(write, new TestClock()) };
}

describe("batched writes", () => {
  test("[LD12] [CH7] items added together are written at once, and later ones in the next write", async () => {
    const { writes, batcher } = onHold();
    const done: string[] = [];
    const add = (...items: string[]) => void batcher.add(items).then(() => done.push(...items));
    add("a");
    add("b", "c");
    await turns();
    add("d");
    add("e");
    await turns();
    assert.deepEqual(
      writes.map(({ items }) => items),
      [["a", "b", "c"]],
    );
    assert.deepEqual(done, [], "nothing is confirmed before it is written");
    writes[0].end();
    await turns();
    assert.deepEqual(writes[1].items, ["d", "e"]);
    assert.deepEqual(done, ["a", "b", "c"]);
    writes[1].end();
    await turns();
    assert.deepEqual(done, ["a", "b", "c", "d", "e"]);
  });

  test("[CH7] a failed write rejects only its own callers, and later writes continue", async () => {
    const { writes, batcher } = onHold();
    const first = batcher.add(["a"]);
    await turns();
    const second = batcher.add(["b"]);
    writes[0].end(new Error("The disk is full."));
    await assert.rejects(first, /disk is full/);
    await turns();
    writes[1].end();
    await second;
    assert.deepEqual(writes[1].items, ["b"]);
  });
});
