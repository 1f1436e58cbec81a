import assert from "node:assert/strict";
import { test } from "node:test";
import { nothingYet, type Shared, Store } from "../src/store.ts";

interface Seen extends Shared {
  readonly count: number | undefined;
}

const newStore = () => new Store<Seen>({ ...nothingYet, count: undefined }, () => () => {});

test("an action that settles before the first view leaves the store loading", async () => {
  const store = newStore();
  await store.act(async () => {});
  assert.deepEqual(store.get(), { error: undefined, isLoading: true, count: undefined });
  const refusal = new Error("Refused.");
  await store.act(() => Promise.reject(refusal));
  assert.deepEqual(store.get(), { error: refusal, isLoading: true, count: undefined });
  store.receive({ count: 1 });
  assert.deepEqual(store.get(), { error: refusal, isLoading: false, count: 1 });
});

test("a failed watch ends the loading", () => {
  const store = newStore();
  const refusal = new Error("Refused.");
  store.fail(refusal);
  assert.deepEqual(store.get(), { error: refusal, isLoading: false, count: undefined });
});
