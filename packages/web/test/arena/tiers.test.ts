import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OpenseatError } from "@openseat/client";
import { siblingsOf, tierElsewhere, tierShown } from "../../src/arena/tiers.ts";

describe("tiers of an arena", () => {
  const tiers = [
    { arena: "low", name: "Bronze", from: null, below: 1_200 },
    { arena: "mid", name: "Silver", from: 1_200, below: 1_600 },
    { arena: "top", name: "Gold", from: 1_600, below: null },
  ];
  test("show their rating range and link to the others", () => {
    assert.deepEqual(tiers.map(tierShown), [
      "Bronze, below 1200",
      "Silver, 1200 to 1599",
      "Gold, 1600 and above",
    ]);
    assert.deepEqual(
      siblingsOf({ id: "mid", tiers }).map(({ arena }) => arena),
      ["low", "top"],
    );
  });
  test("only a player refused for their rating is led to their own tier", () => {
    const data = { arena: "top", tier: "Gold", rating: 1_700 };
    assert.deepEqual(tierElsewhere(new OpenseatError("tier.other", "…", { data })), {
      arena: "top",
      name: "Gold",
    });
    assert.equal(tierElsewhere(new OpenseatError("room.full", "…", { data })), undefined);
    assert.equal(tierElsewhere(new OpenseatError("tier.other", "…")), undefined);
    assert.equal(tierElsewhere(undefined), undefined);
  });
});
