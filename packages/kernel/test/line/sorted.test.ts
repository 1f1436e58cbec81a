import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Line, type TicketNumber } from "@openseat/kernel";
import { Chance } from "../queue-stage.ts";

const ticket = (number: number) => number as TicketNumber;

/** A line sorted by value, beside a plain array that is sorted after each change. */
class Sorted {
  line = new Line();
  readonly has: number[] = [];

  #precedes(number: number): (other: TicketNumber) => boolean {
    const own = this.has[number - 1];
    return (other) => this.has[other - 1] > own || (this.has[other - 1] === own && other < number);
  }

  enter(value: number): void {
    const number = this.has.push(value);
    this.line.insert(ticket(number), this.line.length - this.line.count(this.#precedes(number)));
  }

  change(number: number, value: number): void {
    this.has[number - 1] = value;
    this.line.move(ticket(number), this.#precedes(number));
  }

  check(): void {
    const expected = this.has
      .map((_, index) => index + 1)
      .sort((a, b) => this.has[b - 1] - this.has[a - 1] || a - b);
    assert.deepEqual(this.line.toArray(), Uint32Array.from(expected));
    for (const [index, number] of expected.entries()) {
      assert.equal(this.line.rank(ticket(number)), index + 1);
      assert.equal(this.line.at(index + 1), number);
    }
  }

  checkCount(value: number): void {
    const expected = this.has.filter((other) => other > value).length;
    assert.equal(
      this.line.count((number) => this.has[number - 1] > value),
      expected,
    );
  }
}

function sortedOf(length: number, value: (index: number) => number): Sorted {
  const sorted = new Sorted();
  for (let index = 0; index < length; index++) sorted.enter(value(index));
  return sorted;
}

describe("a sorted line", () => {
  test("[LD7] an empty one has nobody ahead, and a single person stays in place", () => {
    const sorted = new Sorted();
    assert.equal(
      sorted.line.count(() => true),
      0,
    );
    sorted.enter(5);
    sorted.change(1, 9);
    sorted.check();
    assert.equal(
      sorted.line.count(() => true),
      1,
    );
    assert.equal(
      sorted.line.count(() => false),
      0,
    );
  });

  for (const [length, changes] of [
    [3, 1_000],
    [64, 2_000],
    [65, 2_000],
    [5_000, 2_000],
  ]) {
    test(`[LD7] through ${changes} changes among ${length}, each is where sorting would put them`, () => {
      const chance = new Chance(length);
      // Few different values, so that many are equal.
      const value = () => chance.below(Math.ceil(length / 3));
      const sorted = sortedOf(length, value);
      sorted.check();
      for (let change = 0; change < changes; change++) {
        sorted.change(1 + chance.below(length), value());
        sorted.checkCount(value());
        if (change % 500 === 0) {
          sorted.check();
          sorted.line = Line.from(sorted.line.toArray());
        }
      }
      sorted.check();
    });
  }

  const patterns: Record<string, (sorted: Sorted, turn: number) => void> = {
    "the last always comes to the front": ({ line, has }, turn) => {
      const last = line.at(line.length)!;
      has[last - 1] = 1e6 + turn;
      line.move(last, () => false);
    },
    "the first always goes to the back": ({ line, has }, turn) => {
      const first = line.front()!;
      has[first - 1] = -turn - 1;
      line.move(first, () => true);
    },
    "each in turn moves a little": (sorted, turn) => {
      const number = 1 + (turn % sorted.has.length);
      sorted.change(number, sorted.has[number - 1] + ((turn * 7919) % 65) - 32);
    },
  };
  for (const [name, pattern] of Object.entries(patterns)) {
    test(`[LD7] when ${name}, the order stays exact and the memory small`, () => {
      const sorted = sortedOf(5_000, (index) => 5_000 - index);
      for (let turn = 0; turn < 20_000; turn++) pattern(sorted, turn);
      sorted.check();
      assert.ok(sorted.line.bytes < 40 * sorted.line.length, `${sorted.line.bytes} bytes`);
    });
  }

  test("[LD7] in a long line, few comparisons are made", () => {
    const line = new Line();
    for (let number = 1; number <= 200_000; number++) line.push(ticket(number));
    for (const ahead of [0, 1, 63, 64, 4_096, 99_999, 199_999, 200_000]) {
      let asked = 0;
      const counted = line.count((number) => {
        asked++;
        return number <= ahead;
      });
      assert.equal(counted, ahead);
      assert.ok(asked <= 40, `${asked} were asked about`);
    }
  });

  test("a ticket that is not in the line cannot be moved", () => {
    const { line } = sortedOf(10, (index) => -index);
    line.remove(ticket(4));
    for (const number of [4, 0, 11])
      assert.throws(() => line.move(ticket(number), () => true), /^Error: Impossible: a ticket was moved/);
    assert.deepEqual([...line], [1, 2, 3, 5, 6, 7, 8, 9, 10]);
  });

  test("[LD7] moved tickets do not keep their memory", () => {
    const length = 64 * 64;
    const line = new Line();
    for (let number = 1; number <= length; number++) line.push(ticket(number));
    // In each round, all but one of every 64 neighbours move to the back, which would leave one ticket per leaf.
    for (let round = 0; round < 100; round++) {
      const order = line.toArray();
      const start = order.length - Math.floor(length * (63 / 64) ** round);
      for (let index = start; index < length; index++)
        if ((index - start) % 64 !== 0) line.move(ticket(order[index]), () => true);
    }
    assert.equal(line.length, length);
    assert.ok(line.bytes < 60 * length, `${line.bytes} bytes for ${length}`);
  });
});
