import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "../src/flash/turns.ts";

function due(turns: Turns): number[] {
  const people: number[] = [];
  for (let person = turns.next(); person !== undefined; person = turns.next()) people.push(person);
  return people.sort((left, right) => left - right);
}

test("people ask again when as many have been let in as were ahead of them, and themselves", () => {
  const turns = new Turns();
  turns.wait(10, 1, 0);
  turns.wait(11, 2, 0);
  turns.wait(12, 2, 1);
  assert.deepEqual(due(turns), []);
  turns.see(1);
  assert.deepEqual(due(turns), [10]);
  turns.see(1);
  assert.deepEqual(due(turns), []);
  turns.see(3);
  assert.deepEqual(due(turns), [11, 12]);
  assert.equal(turns.moved, 3);
});

test("whoever is told of a count that has passed already asks at once", () => {
  const turns = new Turns();
  turns.see(5);
  turns.wait(1, 2, 3);
  assert.deepEqual(due(turns), [1]);
});

test("a scout is the one who is likely to be next, and there may be none", () => {
  const turns = new Turns();
  assert.equal(turns.scout(), undefined);
  turns.wait(1, 9, 0);
  turns.wait(2, 4, 0);
  assert.equal(turns.scout(), 2);
  assert.equal(turns.scout(), 1);
  assert.equal(turns.scout(), undefined);
});
