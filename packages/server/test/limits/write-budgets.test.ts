import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Identity } from "../../src/app/identity.ts";
import { exemptions } from "../../src/transport/limits/exemptions.ts";
import { WriteBudgets } from "../../src/transport/limits/write-budgets.ts";

const ann: Identity = { role: "person", by: "ann" };
const ben: Identity = { role: "person", by: "ben" };
const school = "192.0.2.1";
const home = "192.0.2.2";

describe("write budgets", () => {
  const clock = { ms: 1_700_000_000_000 };
  function budgets(writesPerPersonMax: number, writesPerAddressMax: number, exemptAddresses?: string) {
    const isExempt = exemptions({ exemptAddresses, ipv6PrefixBits: 64 });
    return new WriteBudgets({ writesPerPersonMax, writesPerAddressMax, isExempt }, () => clock.ms);
  }

  test("[LM3] a person has a budget across all addresses", () => {
    const limit = budgets(2, 100);
    assert.equal(limit.charge(1, ann, school), undefined);
    assert.equal(limit.charge(1, ann, home), undefined);
    const refusal = limit.charge(1, ann, school);
    assert.equal(refusal?.code, "limit.person");
    assert.equal(refusal?.retryAfterSeconds, 30);
    assert.match(refusal?.message ?? "", /in 30 seconds/);
    assert.equal(limit.charge(1, ben, school), undefined);
    clock.ms += 30_000;
    assert.equal(limit.charge(1, ann, school), undefined);
  });

  test("[LM3] an address has a budget across all people, and without a token", () => {
    const limit = budgets(100, 3);
    for (const identity of [ann, ben, null]) assert.equal(limit.charge(1, identity, school), undefined);
    for (const identity of [ann, ben, null])
      assert.equal(limit.charge(1, identity, school)?.code, "limit.address");
    assert.equal(limit.charge(1, ann, home), undefined);
  });

  test("[LM3] a refusal by the address budget does not count against the person's budget", () => {
    const limit = budgets(2, 1);
    assert.equal(limit.charge(1, ben, school), undefined);
    for (const _ of [1, 2, 3]) assert.equal(limit.charge(1, ann, school)?.code, "limit.address");
    assert.equal(limit.charge(1, ann, home), undefined);
    assert.equal(limit.charge(1, ann, "192.0.2.3"), undefined);
    assert.equal(limit.charge(1, ann, "192.0.2.4")?.code, "limit.person");
  });

  test("[LM3] reads and heartbeats cost nothing, and pass with an empty budget", () => {
    const limit = budgets(0, 0);
    assert.equal(limit.charge(0, ann, school), undefined);
    assert.equal(limit.charge(1, ann, school)?.code, "limit.person");
  });

  test("[LM3] services, operators and listed addresses are exempt", () => {
    const limit = budgets(0, 0, "10.0.0.0/8, 2001:db8:1::7");
    assert.equal(limit.charge(1, { role: "service", by: "@service" }, school), undefined);
    assert.equal(limit.charge(1, { role: "operator", by: "@operator" }, school), undefined);
    assert.equal(limit.charge(1, ann, "10.1.2.3"), undefined);
    assert.equal(limit.charge(1, null, "10.1.2.3"), undefined);
    assert.equal(limit.charge(1, null, "11.1.2.3")?.code, "limit.address");
  });

  test("[LM3] [LM8] a listed IPv6 address exempts the network by which limits count it", () => {
    const limit = budgets(0, 0, "2001:db8:1::7, 2001:db8:2::/48");
    assert.equal(limit.charge(1, null, "2001:db8:1:0::/64"), undefined);
    assert.equal(limit.charge(1, null, "2001:db8:2:ff::/64"), undefined);
    assert.equal(limit.charge(1, null, "2001:db8:1:1::/64")?.code, "limit.address");
    assert.equal(limit.charge(1, null, "no address at all")?.code, "limit.address");
  });

  test("[LM3] a batch costs as much as its content, and at most a whole budget", () => {
    const limit = budgets(10, 100);
    assert.equal(limit.charge(7, ann, school), undefined);
    assert.equal(limit.charge(7, ann, school)?.retryAfterSeconds, 24);
    assert.equal(limit.charge(3, ann, school), undefined);
    // Otherwise it could never be sent.
    assert.equal(limit.charge(50, ben, school), undefined);
    assert.equal(limit.charge(1, ben, school)?.code, "limit.person");
  });
});
