import assert from "node:assert/strict";
import { test } from "node:test";
import { Line, type TicketNumber } from "@openseat/kernel";
import fc from "fast-check";
import { Chance } from "./queue-stage.ts";

/** A line beside a plain array that does the same in the simplest way. */
class Pair {
  line = new Line();
  model: number[] = [];
  newest = 0;

  insert(behind: number, skippedTickets = 0): void {
    this.newest += 1 + skippedTickets;
    this.line.insert(this.newest as TicketNumber, behind);
    this.model.splice(this.model.length - behind, 0, this.newest);
  }

  removeAt(index: number): void {
    const [ticket] = this.model.splice(index, 1);
    assert.equal(this.line.remove(ticket as TicketNumber), true);
    assert.equal(this.line.has(ticket as TicketNumber), false);
    assert.equal(this.line.rank(ticket as TicketNumber), 0);
    assert.equal(this.line.remove(ticket as TicketNumber), false);
  }

  saveAndRestore(): void {
    this.line = Line.from(this.line.toArray());
  }

  checkAt(index: number): void {
    const ticket = this.model[index] as TicketNumber;
    assert.equal(this.line.rank(ticket), index + 1);
    assert.equal(this.line.at(index + 1), ticket);
  }

  check(): void {
    assert.equal(this.line.length, this.model.length);
    assert.equal(this.line.front(), this.model[0]);
    assert.deepEqual(this.line.toArray(), Uint32Array.from(this.model));
    for (let index = 0; index < this.model.length; index++) this.checkAt(index);
  }
}

const ticket = (number: number) => number as TicketNumber;

function lineOf(length: number): Line {
  const line = new Line();
  for (let number = 1; number <= length; number++) line.push(ticket(number));
  return line;
}

test("an empty line", () => {
  const line = new Line();
  assert.equal(line.length, 0);
  assert.equal(line.front(), undefined);
  assert.equal(line.at(0), undefined);
  assert.equal(line.at(1), undefined);
  assert.equal(line.rank(ticket(1)), 0);
  assert.equal(line.has(ticket(1)), false);
  assert.equal(line.remove(ticket(1)), false);
  assert.deepEqual([...line], []);
  assert.equal(Line.from(line.toArray()).length, 0);
});

test("[LN5] after any short history every position is exact", () => {
  const step = fc.record({
    does: fc.constantFrom("push", "insert", "remove", "restore"),
    times: fc.integer({ min: 1, max: 150 }),
    where: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    skippedTickets: fc.constantFrom(0, 0, 1, 40),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      const pair = new Pair();
      for (const { does, times, where, skippedTickets } of steps) {
        for (let time = 0; time < times; time++) {
          const { length } = pair.model;
          if (does === "push") pair.insert(0, skippedTickets);
          else if (does === "insert") pair.insert(Math.floor(where * (length + 1)), skippedTickets);
          else if (does === "remove" && length > 0) pair.removeAt(Math.floor(where * length));
        }
        if (does === "restore") pair.saveAndRestore();
        pair.check();
      }
    }),
    { numRuns: 150 },
  );
});

test("[LN5] through 200,000 random changes every position asked for is exact", () => {
  const pair = new Pair();
  const chance = new Chance(8812);
  const below = (limit: number) => chance.below(limit);
  for (let change = 0; change < 200_000; change++) {
    const { length } = pair.model;
    // Alternate between long phases of growth and of shrinking, so that the tree becomes deep, shallow and deep again.
    const comes = below(100) < (Math.floor(change / 20_000) % 2 === 0 ? 75 : 30);
    if (comes || length === 0)
      pair.insert(below(2) === 0 ? 0 : below(length + 1), below(50) === 0 ? below(100) : 0);
    else pair.removeAt(below(4) === 0 ? 0 : below(length));
    if (pair.model.length > 0) pair.checkAt(below(pair.model.length));
    if (change % 20_000 === 0) pair.check();
  }
  pair.check();
});

const spots: Record<string, (length: number, turn: number) => number> = {
  "at the very front": (length) => length,
  "before one person": (length) => Math.min(length, 5),
  "behind one person": (length) => Math.max(length - 5, 0),
  "in the middle": (length) => Math.floor(length / 2),
  "at the front and the back by turns": (length, turn) => (turn % 2 === 0 ? length : 0),
  "in the middle and at the back by turns": (length, turn) => (turn % 2 === 0 ? length >> 1 : 0),
};
for (const [where, behind] of Object.entries(spots)) {
  test(`[LN5] a crowd that all enters ${where} has exact positions and stays small`, () => {
    const pair = new Pair();
    for (let turn = 0; turn < 20_000; turn++) pair.insert(behind(turn, turn));
    pair.check();
    assert.ok(pair.line.bytes < 30 * pair.line.length, `${pair.line.bytes} bytes`);
  });
}

test("[LN7] when all but every 50th leave, the rest move up, in memory for the rest", () => {
  const pair = new Pair();
  for (let number = 1; number <= 50_000; number++) pair.insert(0);
  for (let number = 1; number <= 50_000; number++) if (number % 50 !== 0) pair.line.remove(ticket(number));
  pair.model = pair.model.filter((number) => number % 50 === 0);
  pair.check();
  assert.ok(pair.line.bytes < 150 * pair.line.length, `${pair.line.bytes} bytes`);
  for (let number = 0; number < 1_000; number++) pair.insert(number);
  pair.check();
});

test("[LN5] a million waiting in a plain line have exact positions and cost about ten bytes each", () => {
  const entered = lineOf(1_000_000);
  const restored = Line.from(entered.toArray());
  for (const line of [entered, restored]) {
    assert.ok(line.bytes < 10 * line.length, `${line.bytes} bytes`);
    for (let rank = 1; rank <= line.length; rank += 7) {
      assert.equal(line.rank(ticket(rank)), rank);
      assert.equal(line.at(rank), rank);
    }
  }
});

test("a line of a thousand stays small while a million people pass through", () => {
  const line = lineOf(1_000);
  let most = 0;
  for (let number = 1_001; number <= 1_000_000; number++) {
    line.push(ticket(number));
    line.remove(ticket(number - 1_000));
    most = Math.max(most, line.bytes);
  }
  assert.equal(line.length, 1_000);
  assert.equal(line.rank(ticket(1_000_000)), 1_000);
  assert.ok(most < 18_000, `${most} bytes`);
});

test("one person who waits while a million come and go does not keep their memory", () => {
  const line = lineOf(1);
  let most = 0;
  for (let number = 2; number <= 1_000_000; number++) {
    line.push(ticket(number));
    assert.equal(line.rank(ticket(number)), 2);
    line.remove(ticket(number));
    most = Math.max(most, line.bytes);
  }
  assert.equal(line.front(), 1);
  assert.ok(most < 2_000, `${most} bytes`);
});

test("a line that was once long releases its memory", () => {
  const line = lineOf(300_000);
  for (let number = 1; number <= 299_990; number++) line.remove(ticket(number));
  assert.deepEqual(
    line.toArray(),
    Uint32Array.from({ length: 10 }, (_, index) => 299_991 + index),
  );
  assert.ok(line.bytes < 10_000, `${line.bytes} bytes`);
});

test("a saved line is a copy, and is restored in its order, not in ticket order", () => {
  const order = Uint32Array.of(900, 4, 4_000_000_000, 17, 16, 5);
  const line = Line.from(order);
  const saved = line.toArray();
  order[0] = 1;
  line.remove(ticket(17));
  line.push(ticket(4_000_000_001));
  assert.deepEqual([...saved], [900, 4, 4_000_000_000, 17, 16, 5]);
  assert.deepEqual([...line], [900, 4, 4_000_000_000, 16, 5, 4_000_000_001]);
  assert.equal(line.rank(ticket(16)), 4);
});

test("the line may be changed while it is iterated", () => {
  const line = lineOf(1_000);
  for (const number of line) line.remove(number);
  assert.equal(line.length, 0);
});

test("an impossible ticket is not found", () => {
  const line = lineOf(10);
  for (const number of [0, -1, 1.5, 11, 2 ** 32 + 5, Number.NaN]) {
    assert.equal(line.has(ticket(number)), false);
    assert.equal(line.rank(ticket(number)), 0);
    assert.equal(line.remove(ticket(number)), false);
  }
  for (const rank of [0, -1, 1.5, 11, Number.NaN]) assert.equal(line.at(rank), undefined);
});

test("impossible entries throw and leave the line unchanged", () => {
  const line = lineOf(10);
  line.remove(ticket(10));
  for (const number of [10, 3, 0, 2 ** 32, 10.5]) {
    assert.throws(() => line.push(ticket(number)), /^Error: Impossible: a ticket/);
  }
  for (const behind of [-1, 10, 0.5, Number.NaN]) {
    assert.throws(() => line.insert(ticket(11), behind), /^Error: Impossible: more people/);
  }
  assert.throws(() => Line.from(Uint32Array.of(1, 2, 1)), /^Error: Impossible: a ticket/);
  assert.deepEqual([...line], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
