import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeSnapshot, encodeSnapshot } from "../../src/host/stream/snapshot-format.ts";

const saved = {
  head: { title: "Schach ♟", at: 12 },
  columns: {
    state: Uint8Array.from({ length: 1_500_000 }, (_, i) => i % 251),
    person: Uint32Array.of(1, 2, 4_000_000_000),
    at: Float64Array.of(0.1, 1e300),
    none: new Uint8Array(0),
  },
  lists: {
    people: Array.from({ length: 1_234 }, (_, i) => [`p${i}`, { nickname: `Žižek${i}`, account: null }]),
    nobody: [],
    numbers: [1, 2, 3],
  },
};

test("[LG5] a snapshot decodes to the same state from any number of parts", () => {
  const parts = [...encodeSnapshot(saved)];
  assert.ok(parts.length > 1);
  assert.deepEqual(decodeSnapshot(parts), saved);
});

test("[LG5] a snapshot without lists, from an older server, decodes too", () => {
  const { head, columns } = saved;
  assert.deepEqual(decodeSnapshot([...encodeSnapshot({ head, columns })]), { head, columns });
});

test("[LM2] a long list is encoded in parts, each when it is written", () => {
  let read = 0;
  const items = Array.from({ length: 100_000 }, (_, i) => ({
    toJSON: () => {
      read++;
      return `item ${i} ${"x".repeat(100)}`;
    },
  }));
  const parts = encodeSnapshot({ head: {}, columns: {}, lists: { items } });
  parts.next();
  assert.ok(read > 0 && read < 12_000, `${read} of ${items.length} for the first part`);
  assert.ok([...parts].length > 8);
  assert.equal(read, items.length);
});

test("[LG5] a snapshot with a changed, truncated or missing byte is rejected", () => {
  const parts = () => Array.from(encodeSnapshot(saved), (part) => part.slice());
  const total = parts().reduce((sum, { length }) => sum + length, 0);
  for (const at of [0, 3, 10, 700_000, 1_100_000, total - 33, total - 1]) {
    const damaged = parts();
    const inFirst = at < damaged[0].length;
    damaged[inFirst ? 0 : 1][inFirst ? at : at - damaged[0].length] ^= 1;
    assert.throws(() => decodeSnapshot(damaged), `byte ${at}`);
  }
  assert.throws(() => decodeSnapshot(parts().slice(1)));
  assert.throws(() => decodeSnapshot(parts().slice(0, 1)));
  assert.throws(() => decodeSnapshot([]));
});
