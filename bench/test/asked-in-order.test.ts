import assert from "node:assert/strict";
import { test } from "node:test";
import { askInOrder } from "../src/asked-in-order.ts";

test("everyone is asked for once, in order, and nobody is counted who was not answered", async () => {
  const asked: number[] = [];
  let answered = 0;
  await askInOrder(
    5_000,
    async (number) => {
      asked.push(number);
      await Promise.resolve();
      answered++;
    },
    (count) => assert.ok(count <= answered),
  );
  assert.deepEqual(
    asked,
    Array.from({ length: 5_000 }, (_, index) => index + 1),
  );
  assert.equal(answered, 5_000);
});

test("a refusal ends the asking", async () => {
  const ask = async (number: number) => {
    if (number === 3_000) throw new Error("The line is full.");
  };
  await assert.rejects(
    askInOrder(10_000, ask, () => {}),
    /full/,
  );
});
