import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Line, type TicketNumber } from "@openseat/kernel";
import fc from "fast-check";

const ticket = (number: number) => number as TicketNumber;

/** A line with some tickets set aside, beside plain arrays. */
class Pair {
  line = new Line();
  order: number[] = [];
  readonly aside = new Set<number>();
  newest = 0;

  insert(behind: number): void {
    this.newest += 1;
    this.line.insert(ticket(this.newest), behind);
    this.order.splice(this.order.length - behind, 0, this.newest);
  }

  remove(number: number): void {
    assert.equal(this.line.remove(ticket(number)), true);
    this.order = this.order.filter((other) => other !== number);
    this.aside.delete(number);
  }

  flip(number: number): void {
    const changed = this.aside.delete(number)
      ? this.line.takeBack(ticket(number))
      : this.aside.add(number) && this.line.setAside(ticket(number));
    assert.equal(changed, true);
  }

  check(): void {
    const present = this.order.filter((number) => !this.aside.has(number));
    assert.deepEqual([...this.line], this.order);
    assert.deepEqual([...this.line.presentToArray()], present);
    assert.equal(this.line.asideCount, this.aside.size);
    assert.deepEqual(
      [...this.line.asideToArray()],
      [...this.aside].sort((a, b) => a - b),
    );
    for (const [index, number] of present.entries()) assert.equal(this.line.presentAt(index + 1), number);
    assert.equal(this.line.presentAt(present.length + 1), undefined);
    for (const [index, number] of this.order.entries()) {
      assert.equal(this.line.rank(ticket(number)), index + 1, "a ticket that is set aside keeps its rank");
      assert.equal(this.line.isAside(ticket(number)), this.aside.has(number));
    }
  }
}

describe("a line with tickets set aside", () => {
  test("[LN12] after any short history, finds the present ones in order, and the others keep their ranks", () => {
    const step = fc.record({
      does: fc.constantFrom("insert", "insert", "remove", "flip", "flip", "restore"),
      times: fc.integer({ min: 1, max: 150 }),
      where: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25, size: "max" }), (steps) => {
        const pair = new Pair();
        for (const { does, times, where } of steps) {
          for (let time = 0; time < times; time++) {
            const { length } = pair.order;
            const number = pair.order[Math.floor(((where + time / 7) % 1) * length)];
            if (does === "insert") pair.insert(Math.floor(where * (length + 1)));
            else if (does === "remove" && length > 0) pair.remove(number);
            else if (does === "flip" && length > 0) pair.flip(number);
          }
          if (does === "restore") pair.line = Line.from(pair.line.toArray(), pair.line.asideToArray());
          pair.check();
        }
      }),
      { numRuns: 100 },
    );
  });

  test("[LN12] a rebuilt line remembers who is aside", () => {
    const pair = new Pair();
    for (let number = 0; number < 20_000; number++) pair.insert(number % 3 === 0 ? number >> 1 : 0);
    for (let number = 1; number <= 20_000; number += 7) pair.flip(number);
    for (let number = 1; number <= 20_000; number++) if (number % 50 !== 1) pair.line.remove(ticket(number));
    pair.order = pair.order.filter((number) => number % 50 === 1);
    for (const number of [...pair.aside]) if (number % 50 !== 1) pair.aside.delete(number);
    pair.check();
  });

  test("[LN12] finds the one present behind a million set aside without scanning them", () => {
    const line = new Line();
    for (let number = 1; number <= 1_000_000; number++) line.push(ticket(number));
    const before = line.bytes;
    for (let number = 1; number <= 999_999; number++) line.setAside(ticket(number));
    for (let time = 0; time < 10_000; time++) assert.equal(line.presentAt(1), 1_000_000);
    assert.equal(line.presentAt(2), undefined);
    assert.deepEqual([...line.presentToArray()], [1_000_000]);
    assert.equal(line.rank(ticket(1_000_000)), 1_000_000);
    assert.equal(line.bytes, before, "the counts are already correct");
  });

  test("a ticket that is not in the line is not set aside, and none is set aside twice", () => {
    const line = new Line();
    line.push(ticket(1));
    assert.equal(line.setAside(ticket(2)), false);
    assert.equal(line.setAside(ticket(1)), true);
    assert.equal(line.setAside(ticket(1)), false);
    assert.equal(line.takeBack(ticket(1)), true);
    assert.equal(line.takeBack(ticket(1)), false);
    line.setAside(ticket(1));
    assert.throws(
      () => line.move(ticket(1), () => true),
      /^Error: Impossible: a ticket was moved that is set aside/,
    );
  });
});
