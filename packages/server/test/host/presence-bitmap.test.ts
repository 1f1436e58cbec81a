import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { PresenceBitmap } from "../../src/host/presence/presence-bitmap.ts";

describe("a bitmap of heartbeats", () => {
  test("[LS1] [CL2] added tickets come out once each, in any order of adding", () => {
    const tickets = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 9_000 }), fc.integer({ min: 1, max: 2 ** 32 - 1 })),
    );
    fc.assert(
      fc.property(tickets, (added) => {
        const pages = new PresenceBitmap();
        for (const ticket of added) pages.add(ticket);
        const packed = pages.pack();
        // A view into a larger buffer, as a database returns it.
        const moved = new Uint8Array(packed.length + 7).subarray(7);
        moved.set(packed);
        const found = [...PresenceBitmap.tickets(moved)];
        assert.deepEqual(
          found.sort((one, other) => one - other),
          [...new Set(added)].sort((one, other) => one - other),
        );
      }),
    );
  });

  test("[LM1] invalid tickets are ignored", () => {
    const pages = new PresenceBitmap();
    for (const ticket of [0, -1, Number.NaN]) pages.add(ticket);
    assert.deepEqual([...PresenceBitmap.tickets(pages.pack())], []);
  });
});
