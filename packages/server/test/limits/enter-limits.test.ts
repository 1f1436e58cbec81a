import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Identity } from "../../src/app/identity.ts";
import { EnterLimits } from "../../src/transport/limits/enter-limits.ts";
import { exemptions } from "../../src/transport/limits/exemptions.ts";

const ann: Identity = { role: "person", by: "ann" };
const school = "192.0.2.1";

describe("limits on entering", () => {
  const clock = { ms: 1_700_000_000_000 };
  function limits(entersPerAddressMax: number, visitorsPerAddressMax = 0): EnterLimits {
    const isExempt = exemptions({ exemptAddresses: "10.0.0.0/8", ipv6PrefixBits: 64 });
    return new EnterLimits({ entersPerAddressMax, visitorsPerAddressMax, isExempt }, () => clock.ms);
  }
  const arrival = (more = {}) => ({
    identity: ann,
    address: school,
    queue: "shop",
    isOnPage: false,
    ...more,
  });

  test("[LM3] an address takes a maximum number of new places per minute, in all queues together", () => {
    const limit = limits(2);
    assert.equal(limit.refusalFor(arrival(), null), undefined);
    assert.equal(limit.refusalFor(arrival({ queue: "club" }), null), undefined);
    const refusal = limit.refusalFor(arrival(), null);
    assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ["limit.address", 30]);
    assert.equal(limit.refusalFor(arrival({ address: "192.0.2.2" }), null), undefined);
    clock.ms += 30_000;
    assert.equal(limit.refusalFor(arrival(), null), undefined);
  });

  test("[LM3] a queue may accept fewer from an address, without an effect on other queues", () => {
    const limit = limits(3);
    assert.equal(limit.refusalFor(arrival(), 1), undefined);
    assert.equal(limit.refusalFor(arrival(), 1)?.retryAfterSeconds, 60);
    assert.equal(limit.refusalFor(arrival({ address: "192.0.2.2" }), 1), undefined);
    assert.equal(limit.refusalFor(arrival({ queue: "club" }), 1), undefined);
    assert.equal(limit.refusalFor(arrival({ queue: "pool" }), 100), undefined);
    assert.equal(limit.refusalFor(arrival({ queue: "pool" }), 100)?.retryAfterSeconds, 20);
    // A changed limit applies at once.
    clock.ms += 20_000;
    assert.equal(limit.refusalFor(arrival(), 2), undefined);
  });

  test("[LM3] a refusal by the address limit does not count against the queue's own limit", () => {
    const limit = limits(1);
    assert.equal(limit.refusalFor(arrival({ queue: "club" }), null), undefined);
    for (const _ of [1, 2, 3]) assert.equal(limit.refusalFor(arrival(), 1)?.code, "limit.address");
    clock.ms += 60_000;
    assert.equal(limit.refusalFor(arrival(), 1), undefined);
  });

  test("[LM3] the waiting page has its own limit; that of the queue applies to both", () => {
    const limit = limits(1, 2);
    const page = arrival({ isOnPage: true });
    assert.equal(limit.refusalFor(arrival(), null), undefined);
    assert.equal(limit.refusalFor(arrival(), null)?.code, "limit.address");
    assert.equal(limit.refusalFor(page, null), undefined);
    assert.equal(limit.refusalFor(page, null), undefined);
    assert.equal(limit.refusalFor(page, null)?.retryAfterSeconds, 30);
    const shared = limits(5, 5);
    assert.equal(shared.refusalFor(arrival(), 1), undefined);
    assert.equal(shared.refusalFor(page, 1)?.code, "limit.address");
  });

  test("[LM3] services, operators and listed addresses are exempt", () => {
    const limit = limits(0);
    const service: Identity = { role: "service", by: "@service" };
    assert.equal(limit.refusalFor(arrival({ identity: service }), 1), undefined);
    assert.equal(limit.refusalFor(arrival({ identity: service }), 1), undefined);
    assert.equal(limit.refusalFor(arrival({ address: "10.1.2.3" }), null), undefined);
    assert.equal(limit.refusalFor(arrival(), null)?.code, "limit.address");
  });
});
