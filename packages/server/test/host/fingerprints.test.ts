import assert from "node:assert/strict";
import { test } from "node:test";
import { Fingerprints } from "../../src/host/stream/keys/fingerprints.ts";

test("[ID3] every text keeps its number, in any quantity and after saving", () => {
  const table = new Fingerprints();
  const count = 20_000;
  for (let number = 1; number <= count; number++) {
    assert.equal(table.get(`key ${number}`), 0);
    table.set(`key ${number}`, number);
  }
  const saved = table.save();
  assert.equal(saved.length, 3 * count);
  for (const it of [table, Fingerprints.restore(structuredClone(saved))]) {
    for (let number = 1; number <= count; number++) assert.equal(it.get(`key ${number}`), number);
    assert.equal(it.get("another key"), 0);
  }
});

test("setting a text again replaces its number and counts it once", () => {
  const table = new Fingerprints();
  table.set("a", 1);
  table.set("a", 4_294_967_295);
  assert.equal(table.get("a"), 4_294_967_295);
  assert.equal(table.save().length, 3);
});

test("a small table uses little memory, because most rooms are small", () => {
  const table = new Fingerprints();
  for (let number = 1; number < 1024; number++) table.set(`key ${number}`, number);
  assert.equal(table.save().length, 3 * 1023);
  table.set("one more", 1);
  assert.equal(table.get("key 1"), 1, "after splitting into shards, all are still there");
  assert.equal(table.save().length, 3 * 1024);
});
