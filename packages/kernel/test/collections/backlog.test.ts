import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Backlog } from "../../src/collections/backlog.ts";
import { IndexedHeap } from "../../src/collections/indexed-heap.ts";

describe("a heap", () => {
  test("[LM6] always has the lightest first, for any insertions, changes and removals", () => {
    const step = fc.tuple(fc.nat(12), fc.option(fc.nat(5)));
    const property = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const weights = new Map<number, number>();
      const heap = new IndexedHeap<number>();
      for (const [key, weight] of steps) {
        if (weight === null) {
          heap.remove(key);
          weights.delete(key);
        } else {
          weights.set(key, weight);
          heap.put(key, weight);
        }
        const [first] = [...weights].sort(([one, own], [other, theirs]) => own - theirs || one - other);
        assert.equal(heap.first, first?.[0]);
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
});

describe("a backlog", () => {
  test("[LM6] evicts the oldest item of the sender with most items, or the older one of two equal senders", () => {
    const backlog = new Backlog<string>();
    assert.equal(backlog.oldestOfHeaviest, undefined);
    backlog.add("ann", 1);
    backlog.add("bob", 2);
    assert.equal(backlog.oldestOfHeaviest, 1);
    backlog.add("bob", 3);
    assert.equal(backlog.oldestOfHeaviest, 2);
    backlog.add("ann", 4);
    assert.equal(backlog.oldestOfHeaviest, 1);
    backlog.remove("ann", 1);
    assert.deepEqual([...backlog.of("ann")], [4]);
    assert.equal(backlog.oldestOfHeaviest, 2);
    backlog.remove("bob", 2);
    backlog.remove("bob", 3);
    assert.deepEqual([...backlog.of("bob")], []);
    assert.equal(backlog.oldestOfHeaviest, 4);
  });

  test("[LM6] gives the same result as a full scan, and the same after a rebuild", () => {
    const step = fc.tuple(fc.nat(4), fc.boolean());
    const property = fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const backlog = new Backlog<number>();
      const waiting = new Map<number, number>();
      for (const [item, [sender, isAdded]] of steps.entries()) {
        const known = [...waiting].find(([, owner]) => owner === sender)?.[0];
        if (isAdded) {
          backlog.add(sender, item);
          waiting.set(item, sender);
        } else if (known !== undefined) {
          backlog.remove(sender, known);
          waiting.delete(known);
        }
        const expected = oldestOfHeaviest(waiting);
        assert.equal(backlog.oldestOfHeaviest, expected);
        const anew = new Backlog<number>();
        for (const [each, owner] of waiting) anew.add(owner, each);
        assert.equal(anew.oldestOfHeaviest, expected);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});

function oldestOfHeaviest(waiting: ReadonlyMap<number, number>): number | undefined {
  const weight = (sender: number) => [...waiting.values()].filter((each) => each === sender).length;
  const heaviest = Math.max(...[...waiting.values()].map(weight));
  return [...waiting].find(([, sender]) => weight(sender) === heaviest)?.[0];
}
