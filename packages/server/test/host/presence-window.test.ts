import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Millis } from "@openseat/kernel";
import fc from "fast-check";
import { PresenceWindow } from "../../src/host/presence/presence-window.ts";

const newestEver = 2 ** 32 - 1;

describe("presence in a window", () => {
  test("[LS1] includes those who sent a heartbeat and those who joined after it began", () => {
    const newest = fc.constantFrom(0, 1, 5_000, 10_000_000, newestEver);
    const distances = fc.array(fc.oneof(fc.nat(100), fc.nat(20_000), fc.nat(newestEver)));
    fc.assert(
      fc.property(newest, distances, (newest, distances) => {
        const window = new PresenceWindow(newest, 0 as Millis);
        const received = new Set(
          distances.map((distance) => newest - distance).filter((ticket) => ticket > 0),
        );
        for (const ticket of received) window.add(ticket);
        for (const ticket of received) {
          assert.ok(window.has(ticket));
          const around = [ticket - 1, ticket + 1, ticket - 8, ticket + 4_096, ticket - 4_096];
          // Tickets below 1 do not exist.
          for (const near of around.filter((each) => each > 0))
            assert.equal(window.has(near), received.has(near) || near > newest, `${near} beside ${ticket}`);
        }
        assert.ok(window.has(newest + 1));
      }),
    );
  });

  test("[LM2] a million waiting people cost one bit each, even after 4 billion tickets", () => {
    const window = new PresenceWindow(newestEver, 0 as Millis);
    for (let ticket = newestEver - 999_999; ticket <= newestEver; ticket++) window.add(ticket);
    assert.ok(window.bytes < 1_000_000 / 8 + 1_024, `${window.bytes} bytes`);
    const { bytes } = window;
    window.add(1);
    assert.deepEqual([window.has(1), window.has(2)], [true, false], "a ticket from before the window");
    assert.ok(window.bytes <= bytes + 512);
  });

  test("[LM2] any set of tickets costs at most one bit per issued ticket", () => {
    const window = new PresenceWindow(1_000_000, 0 as Millis);
    for (let ticket = -10_000_000; ticket <= 10_000_000; ticket += 97) window.add(ticket);
    for (const odd of [Number.NaN, 0.5, newestEver, 2 ** 40, Number.POSITIVE_INFINITY]) window.add(odd);
    assert.ok(window.bytes <= 1_000_000 / 8 + 512, `${window.bytes} bytes`);
  });
});
