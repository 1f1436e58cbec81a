import assert from "node:assert/strict";
import { test } from "node:test";
import { JoinLedger, type LoggedJoin } from "../src/nodes/join-ledger.ts";

const acknowledged = [1, 2, 3];

async function found(logged: readonly LoggedJoin[]): Promise<number[]> {
  const ledger = new JoinLedger();
  for (const person of acknowledged) ledger.acknowledge(person);
  return (await ledger.verdicts("it", logged)).map(({ value }) => value);
}

const join = (person: number, seat: number, game = "game/one"): LoggedJoin => ({ game, person, seat });

test("a log that has everyone acknowledged, once and on a seat of their own, is found right", async () => {
  assert.deepEqual(await found([join(1, 1), join(2, 2), join(3, 1, "game/two")]), [0, 0]);
});

test("whoever was acknowledged and is not in the log is lost", async () => {
  assert.deepEqual(await found([join(1, 1), join(3, 2)]), [1, 0]);
});

test("someone twice, a seat twice, and someone whom nobody told are found", async () => {
  const all = [join(1, 1), join(2, 2), join(3, 3)];
  assert.deepEqual(await found([...all, join(2, 4)]), [0, 1]);
  assert.deepEqual(await found([join(1, 1), join(2, 2), join(3, 2)]), [0, 1]);
  assert.deepEqual(await found([...all, join(4, 4)]), [0, 1]);
});
