import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Agenda } from "../src/collections/agenda.ts";
import { Chance } from "./queue-stage.ts";

describe("an agenda", () => {
  test("returns due tickets in order of time and ticket, and keeps them until they become invalid", () => {
    const living = new Set([1, 2, 3, 4, 5]);
    const agenda = new Agenda((ticket) => living.has(ticket));
    assert.equal(agenda.next, undefined);
    assert.deepEqual(agenda.due(1e15, 5), []);
    for (const [ticket, at] of [
      [3, 20],
      [1, 30],
      [5, 10],
      [2, 20],
      [4, 40],
    ])
      agenda.add(ticket, at);
    assert.equal(agenda.next, 10);
    assert.deepEqual(agenda.due(9, 10), []);
    assert.deepEqual(agenda.due(30, 10), [5, 2, 3, 1]);
    assert.deepEqual(agenda.due(30, 2), [5, 2], "no more than requested");
    assert.deepEqual(agenda.due(30, 10), [5, 2, 3, 1], "reading removes nothing");
    assert.equal(agenda.next, 10);
    living.delete(5);
    living.delete(2);
    agenda.tidy(living.size);
    assert.equal(agenda.next, 20);
    assert.deepEqual(agenda.due(100, 10), [3, 1, 4]);
  });

  test("behaves like a sorted list for any additions, ends and postponements", () => {
    for (let seed = 1; seed <= 15; seed++) {
      const chance = new Chance(seed);
      const until = new Map<number, number>();
      const agenda = new Agenda((ticket, at) => until.get(ticket) === at);
      let newest = 0;
      for (let step = 0; step < 500; step++) {
        const roll = chance.below(10);
        const known = [...until.keys()];
        if (roll < 5) until.set(++newest, chance.below(50));
        else if (roll < 7 && known.length > 0) until.delete(chance.of(known));
        else if (known.length > 0) {
          const ticket = chance.of(known);
          // Add it only once per time: postponing to the same time again must not duplicate it.
          const at = 50 + chance.below(1_000_000);
          if (until.get(ticket) === at) continue;
          until.set(ticket, at);
          agenda.add(ticket, at);
        }
        if (roll < 5) agenda.add(newest, until.get(newest)!);
        agenda.tidy(until.size);
        const sorted = [...until].sort(([a, at], [b, bt]) => at - bt || a - b);
        assert.equal(agenda.next, sorted[0]?.[1]);
        const [now, max] = [chance.of([0, 25, 50, 500_000, 1e9]), chance.of([1, 3, 1_000])];
        const expected = sorted.filter(([, at]) => at <= now).slice(0, max);
        assert.deepEqual(
          agenda.due(now, max),
          expected.map(([ticket]) => ticket),
          `seed ${seed}, step ${step}`,
        );
        assert.deepEqual([...agenda].sort(byNumber), [...until.keys()].sort(byNumber));
      }
    }
  });

  test("drops a hundred thousand invalid entries before the first valid one without delay", () => {
    const many = 100_000;
    const living = new Set([0]);
    const agenda = new Agenda((ticket) => living.has(ticket));
    agenda.add(0, 1);
    for (let ticket = 1; ticket <= many; ticket++) agenda.add(ticket, 2);
    agenda.add(many + 1, 3);
    living.add(many + 1);
    // If each call dropped only one entry, this would take minutes.
    assert.deepEqual(agenda.due(5, 4_096), [0, many + 1]);
    assert.deepEqual(agenda.due(5, 4_096), [0, many + 1]);
  });
});

const byNumber = (a: number, b: number) => a - b;
